import { join } from 'node:path';
import {
  acquireMigrationLock,
  type MigrationLock,
  type ServerMigrations,
  serverMigrations,
} from '@plant-store/store-kit/sql';
import { type RawBuilder, sql } from 'kysely';
import { openDatabase } from './database.ts';
import { mysqlErrors } from './errors.ts';
import { CATALOGUE, type Found, faultsOf } from './table.ts';

/** Lock names are global to the server and have at most 64 characters, so the name is a hash of the database. */
const name: RawBuilder<string> = sql`sha2(concat('plant-store migrations ', database()), 224)`;

/**
 * A named lock of the session, which any user may take. Each node of a Galera cluster has its own. Only users with the privilege
 * PROCESS see who holds it.
 */
const lock: MigrationLock = {
  tryAcquire: sql`select get_lock(${name}, 0) as acquired`,
  holder: sql`
    select concat('connection ', held.id) as session, process.user as user
    from (select is_used_lock(${name}) as id) as held
    left join information_schema.processlist as process on process.id = held.id`,
  endSessionWith: 'KILL',
};

/** DDL commits implicitly, so each migration must be safe to repeat after a crash. See {@link ServerMigrations}. */
export const { migrate: migrateMysql, status: mysqlMigrationStatus }: ServerMigrations = serverMigrations({
  folder: join(import.meta.dirname, 'migrations'),
  async schemaOf(db) {
    const { rows } = await sql<{ name: string | null }>`select database() as name`.execute(db);
    return rows[0]?.name ?? null;
  },
  openKysely: (options) => openDatabase(options).db,
  async findTable(db) {
    const [found] = (await sql.raw<Found>(CATALOGUE).execute(db)).rows as [Found];
    return found.kind === null ? undefined : { name: found.name, faults: faultsOf(found) };
  },
  translate: mysqlErrors.translate,
  applyExclusively: (db, options, apply) =>
    db.connection().execute(async (session) => {
      await acquireMigrationLock(session, lock, options);
      try {
        await apply(session);
      } finally {
        await sql`select release_lock(${name})`.execute(session);
      }
    }),
});
