import fs from 'node:fs/promises';
import path from 'node:path';
import { StoreMisconfigured } from '@plant-store/domain';
import type { Kysely, Logger } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from '../options.ts';
import { withTimeout } from '../plant-store.ts';
import { isMigrated, MIGRATION_TABLE, type MigrationStatus } from '../storage-adapter.ts';
import { adoptedTable, foreignTable } from '../table-shape.ts';
import type { Database } from './database.ts';

/** What the adapter of a database server brings to be migrated. */
export interface MigratedServer {
  /**
   * Every file in it is a migration; they apply in the order of their names. A released one never changes. The one that makes
   * the table of plants leaves one that is there as it is.
   */
  readonly folder: string;
  /** The schema of the tables, where Kysely would otherwise take those of another one for ours. */
  schemaOf?(db: Kysely<Database>): Promise<string | null>;
  /** @param log is told of every statement, and of its error. */
  openKysely(options: CompleteServerOptions, log: Logger): Kysely<Database>;
  /** The table of plants that the user sees, if there is one, and what keeps plants out of it. */
  findTable(db: Kysely<Database>): Promise<{ readonly name: string; readonly faults: readonly string[] } | undefined>;
  /** What to throw for an error. */
  translate(error: unknown): unknown;
  /** Applies the migrations while no other process does. */
  applyAlone(
    db: Kysely<Database>,
    options: CompleteServerOptions,
    apply: (db: Kysely<Database>) => Promise<void>,
  ): Promise<void>;
}

/** How a database server is migrated. Both return every migration, in order. */
export interface ServerMigrations {
  /**
   * Applies what the database does not have yet. Safe to run again, and from several processes at once: one of them
   * migrates, the others wait for it and find it done. Where nothing is missing, nothing is written, and a migration that
   * is newer than this program is left alone. Migrating a database that has a table of plants keeps it, and tells `onWarning`.
   * Migrating itself has no time limit: a large table takes as long as it takes.
   *
   * @throws {StoreUnavailable} when the database cannot be reached, or another session holds the migration lock for
   *   `migrationLockTimeoutMs`.
   * @throws {StoreMisconfigured} when there is a table `plants` that cannot keep plants, with why.
   * @throws {RangeError} when an option is out of its range.
   */
  readonly migrate: (options: ServerOptions) => Promise<MigrationStatus>;
  /** Changes nothing. @throws {StoreUnavailable} when the database cannot be reached; {@link RangeError} as above. */
  readonly status: (options: ServerOptions) => Promise<MigrationStatus>;
}

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

  /** A table of plants that is there is kept: a second one would hide it, or be hidden. */
  async function apply(db: Kysely<Database>, { onWarning }: CompleteServerOptions): Promise<void> {
    const table = await server.findTable(db);
    if (table && !(await statusIn(db)).some(({ applied }) => applied)) {
      if (table.faults.length > 0) throw new StoreMisconfigured(foreignTable(table.name, table.faults));
      onWarning(adoptedTable(table.name));
    }
    const { error } = await (await migratorOn(db)).migrateToLatest();
    if (error) throw error;
  }

  async function use<T>(options: CompleteServerOptions, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
    // After a failure Kysely runs another statement in the same transaction, and would throw the failure of that one.
    let first: unknown;
    const db = server.openKysely(options, (event) => {
      if (event.level === 'error') first ??= event.error;
    });
    try {
      return await work(db);
    } catch (error) {
      throw server.translate(first ?? error);
    } finally {
      await db.destroy();
    }
  }

  const statusOf = (options: CompleteServerOptions) =>
    use(options, (db) => withTimeout(statusIn(db), options.timeoutMs));
  return {
    status: async (given) => statusOf(completeServerOptions(given)),
    async migrate(given) {
      const options = completeServerOptions(given);
      const before = await statusOf(options);
      // Kysely would refuse a database with a migration that it does not know.
      if (isMigrated(before)) return before;
      return use({ ...options, dropAfterMs: Infinity }, async (db) => {
        try {
          await server.applyAlone(db, options, (alone) => apply(alone, options));
          return await statusIn(db);
        } catch (error) {
          const after = await statusIn(db);
          // Another node of a cluster, which has a lock of its own, may have done it.
          if (isMigrated(after)) return after;
          throw error;
        }
      });
    },
  };
}
