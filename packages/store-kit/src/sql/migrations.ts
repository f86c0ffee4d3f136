import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Kysely } from 'kysely';
import type { Database } from '../rows.ts';
import type { MigrationStatus } from '../storage-adapter.ts';
import { assertStoresPlants, createCanaries } from './canary.ts';
import type { OpenSqlDatabase, SqlDatabase } from './database.ts';

/** Reads which migrations were applied, in order. Only reads, and closes the database. */
export function readMigrationStatus(database: SqlDatabase): Promise<MigrationStatus> {
  return useAndClose(database, () => readStatus(database, database.db));
}

/**
 * Applies the missing migrations. It may run again, and in several processes at once: one migrates, and the others wait for it. If nothing
 * is missing, it writes nothing. It ignores migrations that are newer than this program. An existing table `plants` is kept.
 *
 * @param timeoutMs the timeout of each statement before the migrations, and how long it tries again if the database is locked or a
 *   connection is lost.
 * @returns every migration, in order.
 * @throws {StoreMisconfigured} if a table `plants` exists that cannot store plants, with the reason; if a privilege is missing.
 */
export async function applyMigrations(open: OpenSqlDatabase, timeoutMs: number): Promise<MigrationStatus> {
  for (const until = performance.now() + timeoutMs; ; await sleep(RETRY_MS)) {
    const database = open(timeoutMs, 'write');
    try {
      const before = await useAndClose(database, () => readBefore(database));
      if (before.every(({ applied }) => applied)) return before;
      const patient = open(NO_TIMEOUT, 'write');
      await useAndClose(patient, () => patient.exclusively((db) => apply(patient, db)));
      return before.map(({ name }) => ({ name, applied: true }));
    } catch (error) {
      const failure = database.errors.classify(error);
      if ((failure !== 'transient' && failure !== 'locked') || performance.now() > until) throw error;
    }
  }
}

/** 10 ms: about as long as another process holds the lock of a file. */
const RETRY_MS = 10;

/** 24 days, the longest timeout of Node's timers. A migration may wait for locks and rewrite a table. */
export const NO_TIMEOUT = 2 ** 31 - 1;

/** Reads which migrations were applied. A table that existed before the first one may belong to another application. */
async function readBefore(database: SqlDatabase): Promise<MigrationStatus> {
  const before = await readStatus(database, database.db);
  if (!before.some(({ applied }) => applied))
    await assertStoresPlants(database, createCanaries()).catch((error: unknown) => {
      if (!database.errors.isTableMissing(error)) throw error;
    });
  return before;
}

/** The table is that of Kysely's Migrator, which rejects a database that a newer program has migrated. */
async function apply(database: SqlDatabase, db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('plant_store_migration')
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  const files = findMigrations(database.migrations);
  for (const { name } of (await readStatus(database, db)).filter(({ applied }) => !applied)) {
    const { up } = await import(pathToFileURL(files.get(name) as string).href);
    await up(db);
    await db.insertInto('plant_store_migration').values({ name, timestamp: new Date().toISOString() }).execute();
  }
}

async function readStatus({ migrations, errors }: SqlDatabase, db: Kysely<Database>): Promise<MigrationStatus> {
  const rows = await db
    .selectFrom('plant_store_migration')
    .select('name')
    .execute()
    .catch((error: unknown) => (errors.isTableMissing(error) ? [] : Promise.reject(error)));
  const isApplied = (migration: string) => rows.some(({ name }) => name === migration);
  return [...findMigrations(migrations).keys()].map((name) => ({ name, applied: isApplied(name) }));
}

/** Closes the database after the work, and translates its errors. */
async function useAndClose<T>({ db, errors }: SqlDatabase, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errors.translateOwn(error);
  } finally {
    await db.destroy();
  }
}

/** The files of migrations by their names, in order. Excludes the declarations beside built files. */
function findMigrations(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => /(?<!\.d)\.[jt]s$/.test(file));
  return new Map(files.sort().map((file) => [file.slice(0, -extname(file).length), join(folder, file)]));
}
