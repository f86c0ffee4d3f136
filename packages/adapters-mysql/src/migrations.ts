import { join } from 'node:path';
import { acquireMigrationLock, type MigrationLock } from '@plant-store/sql-store';
import { migrationsIn, type ServerMigrations, serverMigrations } from '@plant-store/sql-store/migrations';
import { type RawBuilder, sql } from 'kysely';
import { openKysely } from './driver/kysely.ts';
import { translateError } from './errors.ts';

/** Names of locks are the server's, not the database's, and have at most 64 characters. */
const name: RawBuilder<string> = sql`sha2(concat('plant-store migrations ', database()), 224)`;

/**
 * A named lock of the server, which any user may take, and which its session holds until it releases it. Each node of a
 * Galera cluster has its own. Only a user with the privilege PROCESS sees the connections of others.
 */
const lock: MigrationLock = {
  take: sql`select get_lock(${name}, 0) as taken`,
  holder: sql`
    select concat('connection ', held.id) as session, process.user as user
    from (select is_used_lock(${name}) as id) as held
    left join information_schema.processlist as process on process.id = held.id`,
  endSessionWith: 'KILL',
};

/**
 * See {@link ServerMigrations}. A released file of the folder never changes: the next one fixes it. Here a statement that changes a table commits on its
 * own: each file must do when it is run again after a crash.
 */
export const { migrate: migrateMysql, status: mysqlMigrationStatus }: ServerMigrations = serverMigrations({
  migrations: migrationsIn(join(import.meta.dirname, 'migrations')),
  open: openKysely,
  translateError,
  applyAlone: (db, options, apply) =>
    db.connection().execute(async (connection) => {
      await acquireMigrationLock(connection, lock, options);
      try {
        await apply(connection);
      } finally {
        await sql`select release_lock(${name})`.execute(connection);
      }
    }),
});
