import { join } from 'node:path';
import { MIGRATION_TABLE } from '@plant-store/store-kit';
import {
  acquireMigrationLock,
  type Database,
  type MigrationLock,
  type ServerMigrations,
  serverMigrations,
} from '@plant-store/store-kit/sql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type FoundTable, faultsOf, nameOf, tablesIn, theOne } from './catalogue.ts';
import { openDatabase } from './database.ts';
import { postgresErrors } from './errors.ts';

/** Identifies the lock among the advisory locks of the database. */
const key: RawBuilder<bigint> = sql`7310868735423014481::int8`;

/**
 * Held until the transaction ends: the next one sees what was done. PostgreSQL lets any role that may connect take an
 * advisory lock. A bigint key is split over classid and objid
 * (https://www.postgresql.org/docs/current/view-pg-locks.html).
 */
const lock: MigrationLock = {
  take: sql`select pg_try_advisory_xact_lock(${key}) as taken`,
  holder: sql`
    select 'pid ' || pid as session, coalesce(usename, '') as role, coalesce(application_name, '') as application
    from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and classid = (${key} >> 32)::oid and objid = (${key} & 4294967295)::oid`,
  endSessionWith: 'pg_terminate_backend',
};

/** Migrating applies all that the database does not have or, when something fails, nothing; see {@link ServerMigrations}. */
export const { migrate: migratePostgres, status: postgresMigrationStatus }: ServerMigrations = serverMigrations({
  folder: join(import.meta.dirname, 'migrations'),
  /** Where the table of plants is, else that of the migrations, else where tables are made. */
  schemaOf: (db) =>
    withOwnPath(db, async (transaction) => {
      const { rows } = await sql<{ schema: string | null }>`select coalesce(
        (select nspname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where pg_class.oid = to_regclass(${MIGRATION_TABLE})), current_schema()) as schema`.execute(transaction);
      return (await tableOn(transaction))?.schema ?? rows[0]?.schema ?? null;
    }),
  openKysely: (options, log) => openDatabase(options, { log }).db,
  async findTable(db) {
    const table = await withOwnPath(db, tableOn);
    return table && { name: nameOf(table), faults: faultsOf(table) };
  },
  translate: postgresErrors.translate,
  applyAlone: (db, options, apply) =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        await acquireMigrationLock(transaction, lock, options);
        await apply(transaction);
      }),
});

async function tableOn(db: Kysely<Database>): Promise<FoundTable | undefined> {
  return theOne((await sql.raw<FoundTable>(tablesIn()).execute(db)).rows);
}

/** In a transaction with the user's own search path: a pooler lends sessions in which others have set another. */
async function withOwnPath<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  if (!db.isTransaction) return db.transaction().execute((transaction) => withOwnPath(transaction, work));
  await sql`set local search_path to default`.execute(db);
  return work(db);
}
