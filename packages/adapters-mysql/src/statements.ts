import { type CompleteServerOptions, plantColumns, textsOf } from '@plant-store/store-kit';
import {
  type Database,
  type Failures,
  firstAndLast,
  type PlantRow,
  type SqlStatements,
} from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { MysqlDatabase } from './database.ts';
import { isConflict, mysqlErrors } from './errors.ts';
import { insertIndividually } from './insert-individually.ts';
import { findBlocker } from './lock-holder.ts';
import type { Session } from './session.ts';
import { checkSession, tableIdentity } from './table.ts';

/** The statements of a store on MySQL or MariaDB. */
export function statementsOn({ sessions, db }: MysqlDatabase, { timeoutMs }: CompleteServerOptions): SqlStatements {
  const identityOf = tableIdentity();

  async function insert(rows: readonly PlantRow[]): Promise<'all'> {
    await sessions.use((session) => session.query(INSERT, valuesOf(rows)));
    return 'all';
  }

  async function insertWithoutWaiting(
    transaction: Kysely<Database>,
    rows: readonly PlantRow[],
  ): Promise<ReadonlySet<bigint>> {
    await transaction.executeQuery(CompiledQuery.raw(INSERT, valuesOf(rows)));
    return idsOf(rows);
  }

  /** Uses one session. Between two sessions the server could crash and lose the rows that the first one found. */
  const findUnlocked = (ids: readonly bigint[]) =>
    db.connection().execute(async (session) => {
      const rows = await session.selectFrom('plants').selectAll().where('id', 'in', ids).execute();
      if (rows.length > 0) await writeDurably(session);
      return rows;
    });

  /** Uncommitted inserts and deletes count as taken, because an INSERT would wait for them and MySQL has no NOWAIT for it. */
  async function stored(ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    const read = (from: Kysely<Database>) => from.selectFrom('plants').select('id').where('id', 'in', ids).execute();
    const uncommitted = db.transaction().setIsolationLevel('read uncommitted');
    return idsOf([...(await read(db)), ...(await uncommitted.execute(read))]);
  }

  /** If all rows conflict, the table may be locked, which is an outage. Then a plain read fails as well. */
  async function insertUnlessTableIsLocked(session: Session, rows: readonly PlantRow[]): Promise<Failures | undefined> {
    const failures = await insertIndividually(session, rows);
    if (failures && rows.every(({ id }) => isConflict(failures.get(id))))
      await session.query('select 1 from plants where false');
    return failures;
  }

  const checkTable = () => sessions.use(async (session) => identityOf(await checkSession(session, timeoutMs)));

  /** Runs an INSERT without rows, and a durable commit. */
  async function probe(): Promise<void> {
    await sql`insert into plants (${columns}) select ${columns} from plants where false`.execute(db);
    await writeDurably(db);
  }

  return {
    insert,
    insertIndividually: (rows) => sessions.use((session) => insertUnlessTableIsLocked(session, rows)),
    insertWithoutWaiting,
    findUnlocked,
    stored,
    probe,
    checkTable,
    firstAndLast: () => firstAndLast(db),
    lockHolder: () => findBlocker(db),
    isConflict,
    errors: mysqlErrors,
    close: () => sessions.end(),
  };
}

/**
 * Inserts all rows or none. IGNORE and ON DUPLICATE KEY do not report which rows were stored, and hide other errors. `json_table`
 * takes 1.5 times as long for 1 row and 1.0 to 1.2 times for 500. Kysely's `values` takes 1.2 to 1.4 times.
 */
const INSERT = `insert into plants (${plantColumns}) values ?`;

const columns = sql.raw(plantColumns.join());

const valuesOf = (rows: readonly PlantRow[]) => [rows.map((row) => [row.id, ...textsOf(row)])];

const idsOf = (rows: readonly Pick<PlantRow, 'id'>[]): ReadonlySet<bigint> => new Set(rows.map(({ id }) => id));

/**
 * Resolves once every row that a session has seen is durable. InnoDB shows a row, and lets others lock it, before the log with its
 * commit is synced. There is one log, so the sync of a later commit covers it. A transaction that changes nothing, such as a locking
 * read, writes no log and waits for nothing. The same holds for semi-synchronous replicas.
 */
async function writeDurably(db: Kysely<Database>): Promise<void> {
  // With random slots concurrent sessions rarely wait for each other's row.
  const slot = Math.floor(Math.random() * SLOTS);
  await sql`insert into plant_store_sync (slot, writes) values (${slot}, 1) on duplicate key update writes = writes + 1`.execute(
    db,
  );
}

/** The maximum number of rows of the table. */
const SLOTS = 1_024;
