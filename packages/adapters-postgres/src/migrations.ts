import { join } from 'node:path';
import { StoreMisconfigured } from '@plant-store/domain';
import { type Database, MIGRATION_TABLE } from '@plant-store/store-kit';
import {
  acquireMigrationLock,
  type MigrationLock,
  type ServerMigrations,
  serverMigrations,
} from '@plant-store/store-kit/sql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { openDatabase } from './database.ts';
import { postgresErrors } from './errors.ts';
import { type FoundTable, faultOfEncoding, faultsOf, nameOf, RESET_SETTINGS, singleTable, tablesIn } from './table.ts';

/** Identifies the lock among the advisory locks of the database. */
const key: RawBuilder<bigint> = sql`7310868735423014481::int8`;

/**
 * An advisory lock until the transaction ends, so the next holder sees the migrated schema. Any role may take it. `pg_locks` splits
 * a bigint key over classid and objid (https://www.postgresql.org/docs/current/view-pg-locks.html).
 */
const lock: MigrationLock = {
  tryAcquire: sql`select pg_try_advisory_xact_lock(${key}) as acquired`,
  holder: sql`
    select 'pid ' || pid as session, coalesce(usename, '') as role, coalesce(application_name, '') as application
    from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and classid = (${key} >> 32)::oid and objid = (${key} & 4294967295)::oid`,
  endSessionWith: 'pg_terminate_backend',
};

/** The migrations run in one transaction, so a failure applies none of them. See {@link ServerMigrations}. */
export const { migrate: migratePostgres, status: postgresMigrationStatus }: ServerMigrations = serverMigrations({
  folder: join(import.meta.dirname, 'migrations'),
  /** Prefers the schema with both tables, then that of the migration table, that of plants, and the first in the search path. */
  schemaOf: (db) =>
    withResetSettings(db, async (transaction) => {
      const table = await tableOn(transaction);
      if (table?.isMigrated) return table.schema;
      const { rows } = await sql<{ schema: string | null }>`select coalesce(
        (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where pg_class.oid = to_regclass(${MIGRATION_TABLE})), ${table?.schema ?? null}, current_schema()) as schema`.execute(
        transaction,
      );
      return rows[0]?.schema ?? null;
    }),
  openKysely: (options) => openDatabase(options).db,
  findTable: (db) =>
    withResetSettings(db, async (transaction) => {
      const table = await tableOn(transaction);
      if (table) return { name: nameOf(table), faults: faultsOf(table) };
      await assertNoneElsewhere(transaction);
      return undefined;
    }),
  translate: postgresErrors.translate,
  applyExclusively: (db, options, apply) =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        await acquireMigrationLock(transaction, lock, options);
        await apply(transaction);
      }),
});

async function tableOn(db: Kysely<Database>): Promise<FoundTable | undefined> {
  return singleTable((await sql.raw<FoundTable>(tablesIn()).execute(db)).rows);
}

/** @throws {StoreMisconfigured} if a new table would be a second one in another schema, or could not store plants. */
async function assertNoneElsewhere(db: Kysely<Database>): Promise<void> {
  // A search path in the URL selects a schema on purpose, so the others do not count.
  const { rows } = await sql<{ schema: string | null; encoding: string }>`
    select current_setting('server_encoding') as encoding, (select min(nspname)
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relname = 'plants' and has_schema_privilege(nspname, 'usage')
        and to_regclass(quote_ident(nspname) || ${`.${MIGRATION_TABLE}`}) is not null
        and (select source from pg_settings where name = 'search_path') <> 'client') as schema`.execute(db);
  const [{ schema, encoding }] = rows as [{ schema: string | null; encoding: string }];
  const fault = faultOfEncoding(encoding);
  if (fault) throw new StoreMisconfigured(`PostgreSQL: ${fault}`);
  if (schema !== null)
    throw new StoreMisconfigured(
      `PostgreSQL: ${schema}.plants exists, and its schema is not in the search path: run ALTER ROLE … SET search_path = ${schema}, or name another schema in the URL (options=-csearch_path%3D…)`,
    );
}

/** Runs the work in a transaction with {@link RESET_SETTINGS}. */
async function withResetSettings<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute((transaction) => withResetSettings(transaction, work));
  for (const statement of RESET_SETTINGS.split(';')) await sql.raw(statement).execute(db);
  return work(db);
}
