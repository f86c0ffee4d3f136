import { join } from 'node:path';
import { StoreMisconfigured, textFields } from '@plant-store/domain';
import { type CompleteServerOptions, type Database, type PlantRow, plantColumns } from '@plant-store/store-kit';
import type { SqlDatabase } from '@plant-store/store-kit/sql';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { postgresErrors } from './errors.ts';

/** Makes the database of a store on PostgreSQL. No statement leaves a setting behind, because a pooler shares sessions. */
export function postgresDatabase(db: Kysely<Database>, options: CompleteServerOptions): SqlDatabase {
  let hasWarned = false;
  const warnOnce = (message: string) => {
    if (!hasWarned) options.onWarning(message);
    hasWarned = true;
  };
  return {
    db,
    errors: postgresErrors,
    migrations: join(import.meta.dirname, 'migrations'),
    // A million plants of 7 bytes take 4.1 s with 2,000 rows a page, 7.5 s with 500 and 5.1 s with 8,000.
    pageRows: 2_000,
    insert,
    read: async (ids) => (await db.executeQuery<PlantRow>(CompiledQuery.raw(READ, [toArray(ids)]))).rows,
    checkSettings: () => checkSettings(db, warnOnce),
    commit: async () => void (await db.executeQuery(CompiledQuery.raw(COMMIT))),
    exclusively: (apply) => migrateExclusively(db, options.migrationLockTimeoutMs, apply),
  };
}

async function insert(db: Kysely<Database>, rows: readonly PlantRow[]): Promise<readonly bigint[]> {
  if (db.isTransaction) await sql`set constraints all immediate`.execute(db);
  const columns = [toArray(rows.map(({ id }) => id)), ...textFields.map((field) => rows.map((row) => row[field]))];
  const { rows: inserted } = await db.executeQuery<Pick<PlantRow, 'id'>>(CompiledQuery.raw(INSERT, columns));
  return inserted.map(({ id }) => id);
}

const toArray = (ids: readonly bigint[]) => `{${ids.join()}}`;

/**
 * Sets settings within the statement, until its commit. Warnings are needed, because a commit that no standby confirmed is only a
 * warning. 50 ms for a lock: many times the duration of a commit. The other adds of the batch wait as long.
 */
const SETTINGS = `(select set_config('lock_timeout', '50', true) || set_config('client_min_messages', 'warning', true)
  || set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, true)
  ) is not null`;

/** A message in the log, which no plugin reads. The transaction commits as one that stores a plant. It needs no privilege. */
const MESSAGE = "pg_logical_emit_message(true, 'plant-store', '')";

const COMMIT = `select ${MESSAGE} where ${SETTINGS}`;

const COLUMNS = plantColumns.map((column) => `"${column}"`).join();

/** The text is the same for any number of rows, so that it is compiled here and the server parses it once. */
const INSERT = `insert into plants (${COLUMNS}) select * from unnest(
  ${plantColumns.map((column, at) => `$${at + 1}::${column === 'id' ? 'int8' : 'text'}[]`).join()}
  ) where ${SETTINGS} on conflict (id) do nothing returning id`;

/**
 * A plain read may return a row that no standby has, because the wait of its commit was cancelled or goes on. With the message this
 * transaction commits as well, and waits for what was committed before it. A row lock would wait for other sessions, too.
 */
const READ = `select ${COLUMNS}, ${MESSAGE} from plants where id = any($1::int8[]) and ${SETTINGS}`;

async function checkSettings(db: Kysely<Database>, warn: (message: string) => void): Promise<void> {
  const { rows } = await sql<{ unlogged: string | null; encoding: string; fsync: string }>`
    select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
      (select min(oid::regclass::text) from pg_class where relpersistence <> 'p'
        and oid in (select 'plants'::regclass union all select relid from pg_partition_tree('plants'))) as unlogged`.execute(
    db,
  );
  const [{ unlogged, encoding, fsync }] = rows as [(typeof rows)[0]];
  if (unlogged !== null)
    throw new StoreMisconfigured(
      `PostgreSQL: the table ${unlogged} is not logged, so a crash of the server empties it: run ALTER TABLE … SET LOGGED`,
    );
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw new StoreMisconfigured(
      `PostgreSQL: the database has the encoding ${encoding}, which lacks characters: create one with ENCODING 'UTF8'`,
    );
  if (fsync === 'off')
    warn('PostgreSQL: fsync is off, so a crash of the machine may lose plants that were acknowledged: set it to on');
}

/** An advisory lock until the transaction ends, so the next holder sees the migrated schema. Any role may take it. */
async function migrateExclusively(
  db: Kysely<Database>,
  lockTimeoutMs: number,
  apply: (db: Kysely<Database>) => Promise<void>,
): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`.execute(transaction);
      await sql`select pg_advisory_xact_lock(7310868735423014481::int8)`.execute(transaction);
      await apply(transaction);
    });
}
