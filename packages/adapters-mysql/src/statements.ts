import type { CompleteServerOptions } from '@plant-store/store-kit';
import type { Database, Failures, PlantRow, SessionRow, SqlStatements } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { MysqlDatabase } from './database.ts';
import { isConflict, mysqlErrors } from './errors.ts';
import { insertApart } from './insert-apart.ts';
import type { Session } from './session.ts';
import { checkSession } from './table.ts';

/** The statements of a store. */
export function statementsOn({ sessions, db }: MysqlDatabase, { timeoutMs }: CompleteServerOptions): SqlStatements {
  async function insert(rows: readonly PlantRow[]): Promise<'all'> {
    await sessions.use((session) => session.query(INSERT, valuesOf(rows)));
    return 'all';
  }

  async function insertAtOnce(transaction: Kysely<Database>, rows: readonly PlantRow[]): Promise<ReadonlySet<bigint>> {
    await transaction.executeQuery(CompiledQuery.raw(INSERT, valuesOf(rows)));
    return idsOf(rows);
  }

  /** By one session: another one could be to a server that has lost, when it crashed, what was found before. */
  const findUnlocked = (ids: readonly bigint[]) =>
    db.connection().execute(async (session) => {
      const rows = await session.selectFrom('plants').selectAll().where('id', 'in', ids).execute();
      if (rows.length > 0) await writeDurably(session);
      return rows;
    });

  /**
   * What another session has inserted and not committed, and what it has deleted and not committed: to insert one of those would
   * wait, and MySQL cannot insert without waiting.
   */
  async function stored(ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    const read = (from: Kysely<Database>) => from.selectFrom('plants').select('id').where('id', 'in', ids).execute();
    const uncommitted = db.transaction().setIsolationLevel('read uncommitted');
    return idsOf([...(await read(db)), ...(await uncommitted.execute(read))]);
  }

  /** A lock on the table is an outage, and no conflict of each row: a plain read waits for it, too, and fails. */
  async function insertUnlessTableIsLocked(session: Session, rows: readonly PlantRow[]): Promise<Failures | undefined> {
    const failures = await insertApart(session, rows);
    if (failures && rows.every(({ id }) => isConflict(failures.get(id))))
      await session.query('select 1 from plants where false');
    return failures;
  }

  const assertFit = () => sessions.use((session) => checkSession(session, timeoutMs));

  /** It inserts nothing, and commits. */
  async function probe(): Promise<void> {
    await assertFit();
    await sql`insert into plants (id, name, tag) select id, name, tag from plants where false`.execute(db);
    await writeDurably(db);
  }

  return {
    insert,
    insertApart: (rows) => sessions.use((session) => insertUnlessTableIsLocked(session, rows)),
    insertAtOnce,
    findUnlocked,
    stored,
    probe,
    assertFit,
    lockHolder: async () => (await LOCK_HOLDER.execute(db)).rows[0],
    isConflict,
    errors: mysqlErrors,
    close: () => sessions.end(),
  };
}

/**
 * All rows or none: with IGNORE or ON DUPLICATE KEY it would not say which rows it stored, and hide what else is wrong with the
 * others. With one JSON parameter and `json_table` a batch takes 1.5 times as long for 1 row and 1.0 to 1.2 times for 500, by
 * Kysely's `values` 1.2 to 1.4 times.
 */
const INSERT = 'insert into plants (id, name, tag) values ?';

const valuesOf = (rows: readonly PlantRow[]) => [rows.map(({ id, name, tag }) => [id, name, tag])];

const idsOf = (rows: readonly Pick<PlantRow, 'id'>[]): ReadonlySet<bigint> => new Set(rows.map(({ id }) => id));

/**
 * Resolves once everything that any session has seen until now is durable. InnoDB lets others see a row, and lock it, before
 * the log with its commit is synced; the log is one, so a commit of one's own that comes later is not synced before it. A
 * transaction that changes nothing, a locking read above all, writes no log and waits for nothing.
 *
 * The same holds for replicas that have to confirm a commit (semi-synchronous replication).
 */
async function writeDurably(db: Kysely<Database>): Promise<void> {
  // Two at once hardly ever wait for one another's row.
  const slot = Math.floor(Math.random() * SLOTS);
  await sql`insert into plant_store_sync (slot, writes) values (${slot}, 1) on duplicate key update writes = writes + 1`.execute(
    db,
  );
}

/** The most rows of the table. */
const SLOTS = 1_024;

/**
 * By the database that its session uses: the server does not say whose rows it has locked. Ours take milliseconds, unless they wait
 * themselves. It needs the privilege PROCESS.
 */
const LOCK_HOLDER = sql<SessionRow>`
  select concat('connection ', process.id) as session, process.user as user, concat(trx_started) as since
  from information_schema.innodb_trx join information_schema.processlist as process on process.id = trx_mysql_thread_id
  where process.db = database() and trx_rows_locked > 0 and trx_state = 'RUNNING'
    and trx_started < convert_tz(now(6), @@session.time_zone, 'SYSTEM') - interval 500000 microsecond
  order by trx_started limit 1`;
