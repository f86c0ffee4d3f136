import fs from 'node:fs/promises';
import path from 'node:path';
import { StoreMisconfigured } from '@plant-store/domain';
import type { Kysely, Logger } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from '../options.ts';
import { withTimeout } from '../plant-store.ts';
import type { Database } from '../rows.ts';
import { isMigrated, MIGRATION_TABLE, type MigrationStatus } from '../storage-adapter.ts';
import { adoptedTableMessage, foreignTableMessage } from '../table-shape.ts';

/** What the adapter of a database server implements for its migrations. */
export interface MigratedServer {
  /**
   * The folder whose files are the migrations, in the order of their names. A released file never changes. The migration that
   * creates `plants` keeps an existing table.
   */
  readonly folder: string;
  /** Finds the schema of the tables. Without it Kysely could use the migration table of another schema. */
  schemaOf?(db: Kysely<Database>): Promise<string | null>;
  /** @param log receives every statement and its error. */
  openKysely(options: CompleteServerOptions, log: Logger): Kysely<Database>;
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
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: server.folder });

  async function migratorOn(db: Kysely<Database>): Promise<Migrator> {
    const schema = await server.schemaOf?.(db);
    return new Migrator({
      db,
      provider,
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: `${MIGRATION_TABLE}_lock`,
      ...(schema && { migrationTableSchema: schema }),
    });
  }

  async function statusIn(db: Kysely<Database>): Promise<MigrationStatus> {
    const all = await (await migratorOn(db)).getMigrations();
    return all.map(({ name, executedAt }) => ({ name, applied: executedAt !== undefined }));
  }

  /** Keeps an existing table of plants, because a second one would hide it or be hidden by it. */
  async function apply(db: Kysely<Database>, { onWarning }: CompleteServerOptions): Promise<void> {
    const table = await server.findTable(db);
    if (table && !(await statusIn(db)).some(({ applied }) => applied)) {
      if (table.faults.length > 0) throw new StoreMisconfigured(foreignTableMessage(table.name, table.faults));
      onWarning(adoptedTableMessage(table.name));
    }
    const { error } = await (await migratorOn(db)).migrateToLatest();
    if (error) throw error;
  }

  async function withDatabase<T>(
    options: CompleteServerOptions,
    work: (db: Kysely<Database>) => Promise<T>,
  ): Promise<T> {
    // After a failure Kysely runs another statement in the same transaction, whose failure hides the first one.
    let firstError: unknown;
    const db = server.openKysely(options, (event) => {
      if (event.level === 'error') firstError ??= event.error;
    });
    try {
      return await work(db);
    } catch (error) {
      throw server.translate(firstError ?? error);
    } finally {
      await db.destroy();
    }
  }

  const statusOf = (options: CompleteServerOptions) =>
    withDatabase(options, (db) => withTimeout(statusIn(db), options.timeoutMs));
  return {
    status: async (given) => statusOf(completeServerOptions(given)),
    async migrate(given) {
      const options = completeServerOptions(given);
      const before = await statusOf(options);
      // Kysely rejects a database with a migration that it does not know.
      if (isMigrated(before)) return before;
      return withDatabase({ ...options, dropAfterMs: Infinity }, async (db) => {
        try {
          await server.applyExclusively(db, options, (alone) => apply(alone, options));
          return await statusIn(db);
        } catch (error) {
          const after = await statusIn(db);
          // A process on another node of a cluster may have migrated: each node has its own lock.
          if (isMigrated(after)) return after;
          throw error;
        }
      });
    },
  };
}
