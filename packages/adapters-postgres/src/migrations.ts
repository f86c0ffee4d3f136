import { join } from 'node:path';
import {
  acquireMigrationLock,
  type MigrationLock,
  type ServerMigrations,
  serverMigrations,
} from '@plant-store/store-kit/sql';
import { type RawBuilder, sql } from 'kysely';
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
  async schemaOf(db) {
    const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db);
    return rows[0]?.schema ?? null;
  },
  openKysely: (options, log) => openDatabase(options, { log }).db,
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
