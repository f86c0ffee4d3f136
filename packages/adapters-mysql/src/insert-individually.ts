import { columnTypes, plantColumns, textsOf } from '@plant-store/store-kit';
import type { Failures, PlantRow } from '@plant-store/store-kit/sql';
import { isSyntaxError, mysqlErrors, serverError } from './errors.ts';
import type { Session } from './session.ts';

/**
 * Inserts rows one by one with one commit, and resolves with the errors by id. A failing statement rolls back only itself. It is one
 * message to the server. Bisection between savepoints would take a hundred for a batch.
 *
 * @returns undefined if the server cannot do it, as MySQL, which allows such blocks only in procedures.
 */
export async function insertIndividually(session: Session, rows: readonly PlantRow[]): Promise<Failures | undefined> {
  const plants = JSON.stringify(rows.map((row) => [String(row.id), ...textsOf(row)]));
  try {
    const [[{ failures }]] = (await session.query(INSERT_EACH, [plants])) as [[{ readonly failures: string }]];
    const rowFailures: readonly Failure[] = JSON.parse(`[${failures}]`);
    return new Map(
      rowFailures.map(([id, errno, sqlState, message]) => [BigInt(id), serverError(Number(errno), sqlState, message)]),
    );
  } catch (error) {
    // A lost connection has nothing to roll back.
    if (!mysqlErrors.isConnectionLost(error)) await session.query('rollback');
    if (isSyntaxError(error) || mysqlErrors.isRefused(error)) return undefined;
    throw error;
  }
}

const DEFINITIONS = Object.entries(columnTypes('bigint', 'longtext character set utf8mb4')).map(
  ([name, type], at) => `${name} ${type} path '$[${at}]' error on error`,
);

/** If the failure of a row ends the transaction, as a deadlock does, the block fails. Only the INSERT has an error handler. */
const INSERT_EACH = `begin not atomic
  declare failures longtext character set utf8mb4 default '';
  start transaction;
  for plant in (select * from json_table(?, '$[*]' columns (${DEFINITIONS})) as plants)
  do begin
    declare continue handler for sqlexception begin
      declare errno, state, message text character set utf8mb4;
      get diagnostics condition 1 errno = mysql_errno, state = returned_sqlstate, message = message_text;
      if not @@in_transaction then resignal; end if;
      set failures = concat(failures, if(failures = '', '', ','), json_array(concat(plant.id), errno, state, message));
    end;
    set statement innodb_lock_wait_timeout = 0 for
      insert into plants (${plantColumns}) values (${plantColumns.map((name) => `plant.${name}`)});
  end; end for;
  commit;
  select failures;
end`;

/** The error of a row. */
type Failure = readonly [id: string, errno: string, sqlState: string, message: string];
