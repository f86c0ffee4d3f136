import { join } from 'node:path';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type CompleteServerOptions, type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { type Kysely, sql } from 'kysely';
import { isTaken, mysqlErrors } from './errors.ts';
import { openPool } from './pool.ts';

/** Makes the database of a store on MySQL or MariaDB. @param timeoutMs the timeout of each statement. */
export function openMysqlDatabase(options: CompleteServerOptions, timeoutMs: number): SqlDatabase {
  const db = openPool(options, timeoutMs);

  async function read(ids: readonly bigint[]): Promise<readonly PlantRow[]> {
    const rows = await selectRows(db, ids);
    if (rows.length > 0) await writeDurably(db);
    return rows;
  }

  /** Holds a named lock of the session, which any user may take. Each node of a Galera cluster has its own. DDL commits implicitly. */
  const exclusively: SqlDatabase['exclusively'] = (apply) =>
    db.connection().execute(async (session) => {
      // Lock names are global to the server and have at most 64 characters, so the name is a hash of the database.
      const name = sql`sha2(concat('plant-store migrations ', database()), 224)`;
      const seconds = Math.ceil(options.migrationLockTimeoutMs / 1_000);
      const { rows } = await sql<{ acquired: bigint }>`
        select get_lock(${name}, ${seconds}) as acquired`.execute(session);
      if (Number(rows[0]?.acquired) !== 1)
        throw new StoreUnavailable('MySQL: another session is migrating: wait for it or end it (see SHOW PROCESSLIST)');
      // The end of the session frees the lock as well.
      const release = () => sql`select release_lock(${name})`.execute(session).catch(() => {});
      await apply(session).finally(release);
    });

  return {
    ...{ db, errors: mysqlErrors, migrations: join(import.meta.dirname, 'migrations') },
    // Fewer rows slow down small plants, and more slow down large ones, because of InnoDB.
    pageRows: 500,
    ...{ insert, read, exclusively },
    checkSettings: () => checkSettings(db),
    commit: () => writeDurably(db),
  };
}

/** IGNORE and ON DUPLICATE KEY do not report which rows were stored, and hide other errors. */
async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  try {
    return await insertAll(db, rows);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const stored = new Set(toIds(await selectRows(db, toIds(rows))));
    const free = rows.filter(({ id }) => !stored.has(id));
    // Another session has not yet committed the one that is taken.
    if (free.length === rows.length) throw error;
    return free.length > 0 ? insertAll(db, free) : [];
  }
}

async function insertAll(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  // MariaDB does not wait for a locked row or gap. MySQL has no SET STATEMENT and reads a comment, so it waits for 1 s.
  const impatient = sql.raw('/*M! set statement innodb_lock_wait_timeout = 0 for */');
  const values = rows.map((row) => sql`(${sql.join(plantColumns.map((name) => row[name]))})`);
  await sql`${impatient} insert into plants (${columns}) values ${sql.join(values)}`.execute(db);
  return toIds(rows);
}

const selectRows = (db: Kysely<Database>, ids: readonly bigint[]) =>
  db.selectFrom('plants').select(plantColumns).where('id', 'in', ids).execute();

const toIds = (rows: readonly PlantRow[]) => rows.map(({ id }) => id);

const columns = sql.join(plantColumns.map((name) => sql.ref(name)));

/**
 * Resolves once every row that a session has seen is durable. InnoDB shows a row, and lets others lock it, before the log with its
 * commit is synced. There is one log, so the sync of a later commit covers it. A transaction that changes nothing, such as a locking
 * read, writes no log and waits for nothing. The same holds for semi-synchronous replicas.
 */
async function writeDurably(db: Kysely<Database>): Promise<void> {
  // With random slots concurrent sessions rarely wait for each other's row.
  const slot = Math.floor(Math.random() * SLOTS);
  await sql`insert into plant_store_sync (slot, writes) values (${slot}, 1)
    on duplicate key update writes = writes + 1`.execute(db);
}

/** The maximum number of rows of the table. */
const SLOTS = 1_024;

/** MyISAM, for example, would keep the plants of a probe. */
async function checkSettings(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ fault: string | null; is_read_only: bigint }>`select
    case when @@innodb_flush_log_at_trx_commit <> 1 then 'innodb_flush_log_at_trx_commit is not 1'
      when @@log_bin and @@sync_binlog <> 1 then 'sync_binlog is not 1'
      else (select concat(table_name, ' has the engine ', engine) from information_schema.tables
        where table_schema = database() and cast(table_name as binary) in ('plants', 'plant_store_sync')
          and engine <> 'InnoDB' limit 1)
      end as fault,
    concat(@@read_only) not in ('0', 'OFF') as is_read_only`.execute(db);
  const [{ fault, is_read_only } = {}] = rows;
  if (Number(is_read_only) === 1)
    throw new StoreUnavailable('MySQL: it is read-only: connect to the server that writes');
  if (fault)
    throw new StoreMisconfigured(
      `MySQL: ${fault}, so plants may be lost: set it (SET GLOBAL …, and in the server's configuration file), or run ALTER TABLE … ENGINE = InnoDB`,
    );
}
