import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isMigrated, MIGRATION_TABLE, type MigrationStatus, migrationFiles } from '../migrations.ts';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from '../options.ts';
import { withTimeout } from '../plant-store.ts';
import type { Database } from '../rows.ts';
import { adoptedTableMessage, foreignTableMessage } from '../table-shape.ts';
import { describeSession, type SessionRow } from './lock-holder.ts';

/** What the adapter of a database server implements for its migrations. */
export interface MigratedServer {
  /**
   * The folder whose files are the migrations, in the order of their names. A released file never changes. The migration that
   * creates `plants` keeps an existing table.
   */
  readonly folder: string;
  /** Finds the schema of the table of applied migrations; null if there is none that it could be in. */
  schemaOf(db: Kysely<Database>): Promise<string | null>;
  openKysely(options: CompleteServerOptions): Kysely<Database>;
  /** Finds the table `plants` that the user sees, and why it could not store plants. */
  findTable(db: Kysely<Database>): Promise<{ readonly name: string; readonly faults: readonly string[] } | undefined>;
  /** Returns the port's error for a driver's. */
  translate(error: unknown): unknown;
  /** Calls `apply` while this process holds the migration lock. */
  applyExclusively(
    db: Kysely<Database>,
    options: CompleteServerOptions,
    apply: (db: Kysely<Database>) => Promise<void>,
  ): Promise<void>;
}

/** The migrations of a database server. Both functions resolve with every migration, in order. */
export interface ServerMigrations {
  /**
   * Applies the missing migrations. It may run again, and in several processes at once: one migrates, and the others wait for it.
   * If nothing is missing, it writes nothing. It ignores migrations that are newer than this program. An existing table `plants`
   * is kept and reported to `onWarning`. The migrations themselves have no timeout.
   *
   * @throws {StoreUnavailable} if the database cannot be reached, or another session holds the migration lock for
   *   `migrationLockTimeoutMs`.
   * @throws {StoreMisconfigured} if a table `plants` exists that cannot store plants, with the reason.
   * @throws {RangeError} if an option is out of its range.
   */
  readonly migrate: (options: ServerOptions) => Promise<MigrationStatus>;
  /** Only reads. @throws {StoreUnavailable} if the database cannot be reached; {@link RangeError} if an option is out of its range. */
  readonly status: (options: ServerOptions) => Promise<MigrationStatus>;
}

/** Makes the migrations of a database server. */
export function serverMigrations(server: MigratedServer): ServerMigrations {
  const files = migrationFiles(server.folder);

  /** Finds the table of applied migrations, and what it has. */
  async function recordsIn(db: Kysely<Database>) {
    const schema = await server.schemaOf(db);
    const records = schema === null ? db : db.withSchema(schema);
    // Kysely's introspection reads all schemas, and fails if another one is dropped meanwhile.
    const { rows: found } = await sql`
      select 1 from information_schema.tables where table_schema = ${schema} and table_name = ${MIGRATION_TABLE}`.execute(
      db,
    );
    const rows = found.length > 0 ? await records.selectFrom(MIGRATION_TABLE).select('name').execute() : [];
    const isApplied = (migration: string) => rows.some(({ name }) => name === migration);
    return { records, status: [...files.keys()].map((name) => ({ name, applied: isApplied(name) })) };
  }

  /** Keeps an existing table of plants, because a second one would hide it or be hidden by it. */
  async function apply(db: Kysely<Database>, { onWarning }: CompleteServerOptions): Promise<void> {
    const table = await server.findTable(db);
    const { records, status } = await recordsIn(db);
    if (table && !status.some(({ applied }) => applied)) {
      if (table.faults.length > 0) throw new StoreMisconfigured(foreignTableMessage(table.name, table.faults));
      onWarning(adoptedTableMessage(table.name));
    }
    await applyMigrations(db, files, status, records);
  }

  async function withDatabase<T>(
    options: CompleteServerOptions,
    work: (db: Kysely<Database>) => Promise<T>,
  ): Promise<T> {
    const db = server.openKysely(options);
    try {
      return await work(db);
    } catch (error) {
      throw server.translate(error);
    } finally {
      await db.destroy();
    }
  }

  const statusOf = (options: CompleteServerOptions) =>
    withDatabase(options, async (db) => (await withTimeout(recordsIn(db), options.timeoutMs)).status);
  return {
    status: async (given) => statusOf(completeServerOptions(given)),
    async migrate(given) {
      const options = completeServerOptions(given);
      const before = await statusOf(options);
      if (isMigrated(before)) return before;
      return withDatabase({ ...options, dropAfterMs: Infinity }, async (db) => {
        try {
          await server.applyExclusively(db, options, (alone) => apply(alone, options));
          return (await recordsIn(db)).status;
        } catch (error) {
          const after = await recordsIn(db).catch(() => undefined);
          // A process on another node of a cluster may have migrated: each node has its own lock.
          if (after && isMigrated(after.status)) return after.status;
          throw error;
        }
      });
    },
  };
}

/**
 * Applies the missing migrations and records each of them, as Kysely's Migrator does. If none is missing, it writes nothing. The
 * caller holds a lock. An older migration that is missing is applied after newer ones. Kysely's Migrator was tried. It rejects a database that a newer program has migrated, hides the first error
 * of a transaction, and its lock names no holder, so it took more lines to correct than this takes.
 *
 * @param db the connection of the caller, on which the table of applied migrations is in the default schema.
 * @param status read after the lock was acquired.
 */
export async function applyMigrations(
  db: Kysely<Database>,
  files: ReadonlyMap<string, string>,
  status: MigrationStatus,
  records: Kysely<Database> = db,
): Promise<void> {
  if (isMigrated(status)) return;
  await records.schema
    .createTable(MIGRATION_TABLE)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
  for (const { name } of status.filter(({ applied }) => !applied)) {
    const { up } = await import(pathToFileURL(files.get(name) as string).href);
    await up(db);
    await records.insertInto(MIGRATION_TABLE).values({ name, timestamp: new Date().toISOString() }).execute();
  }
}

/** A lock of the server that lets one process at a time migrate a database. */
export interface MigrationLock {
  /** Selects `acquired`, which is 1 or true if the lock was free. */
  readonly tryAcquire: RawBuilder<{ readonly acquired: unknown }>;
  readonly holder: RawBuilder<SessionRow>;
  /** The statement or function that ends a session of the server. */
  readonly endSessionWith: string;
}

/**
 * Acquires the lock. After {@link WARN_AFTER_MS} it calls `onWarning` with the holder.
 *
 * @throws {StoreUnavailable} with the holder, if the lock is not free within `migrationLockTimeoutMs`.
 */
export async function acquireMigrationLock(
  db: Kysely<Database>,
  { tryAcquire, holder, endSessionWith }: MigrationLock,
  { migrationLockTimeoutMs, onWarning }: Pick<CompleteServerOptions, 'migrationLockTimeoutMs' | 'onWarning'>,
): Promise<void> {
  const startedAt = performance.now();
  const isAcquired = async () => Number((await tryAcquire.execute(db)).rows[0]?.acquired) === 1;
  const describeHolder = async () => {
    const found = describeSession((await holder.execute(db)).rows[0]);
    return found === undefined ? 'its holder is unknown' : `held by ${found}`;
  };
  for (let isWarned = false; !(await isAcquired()); await sleep(POLL_MS)) {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= migrationLockTimeoutMs)
      throw new StoreUnavailable(
        `the migration lock was not free within ${migrationLockTimeoutMs} ms: ${await describeHolder()}. If that session is migrating, wait; otherwise end it with ${endSessionWith}`,
      );
    if (isWarned || waitedMs < WARN_AFTER_MS) continue;
    isWarned = true;
    onWarning(`waiting for the migration lock, up to ${migrationLockTimeoutMs} ms: ${await describeHolder()}`);
  }
}

/** 1 s: ten times what migrating an empty database takes. */
const WARN_AFTER_MS = 1_000;

const POLL_MS = 50;
