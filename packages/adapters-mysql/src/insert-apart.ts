import type { Failures, PlantRow } from '@plant-store/store-kit/sql';
import { hasNoBlocks, mysqlErrors, reported } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Inserts rows one by one with one commit, and resolves with what each fails with: a statement that fails is rolled back alone.
 * It is one message for the server: by halves, between savepoints, a batch would take a hundred.
 *
 * @returns undefined where that cannot be done: MySQL has such a block in procedures alone.
 */
export async function insertApart(session: Session, rows: readonly PlantRow[]): Promise<Failures | undefined> {
  const plants = JSON.stringify(rows.map(({ id, name, tag }) => [String(id), name, tag]));
  try {
    const [[{ failures }]] = (await session.query(INSERT_EACH, [plants])) as [[{ readonly failures: string }]];
    const of: readonly Failure[] = JSON.parse(`[${failures}]`);
    return new Map(
      of.map(([id, errno, sqlState, message]) => [BigInt(id), reported(Number(errno), sqlState, message)]),
    );
  } catch (error) {
    // A lost connection has nothing to roll back.
    if (!mysqlErrors.isLost(error)) await session.query('rollback');
    if (hasNoBlocks(error) || mysqlErrors.isRefused(error)) return undefined;
    throw error;
  }
}

/**
 * Where the failure of a row has ended the transaction, as a deadlock does, the block fails with it. Nothing but the INSERT has
 * a handler: what fails beside it fails the block, too.
 */
const INSERT_EACH = `begin not atomic
  declare failures longtext character set utf8mb4 default '';
  start transaction;
  for plant in (select * from json_table(?, '$[*]' columns (
    id bigint path '$[0]' error on error,
    name longtext character set utf8mb4 path '$[1]' error on error,
    tag longtext character set utf8mb4 path '$[2]' error on error)) as plants)
  do begin
    declare continue handler for sqlexception begin
      declare errno, state, message text character set utf8mb4;
      get diagnostics condition 1 errno = mysql_errno, state = returned_sqlstate, message = message_text;
      if not @@in_transaction then resignal; end if;
      set failures = concat(failures, if(failures = '', '', ','), json_array(concat(plant.id), errno, state, message));
    end;
    set statement innodb_lock_wait_timeout = 0 for
      insert into plants (id, name, tag) values (plant.id, plant.name, plant.tag);
  end; end for;
  commit;
  select failures;
end`;

/** Of a row. */
type Failure = readonly [id: string, errno: string, sqlState: string, message: string];
