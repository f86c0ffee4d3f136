import fs from 'node:fs/promises';
import path from 'node:path';
import type { Kysely, Logger } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { isMigrated, MIGRATION_TABLE, type MigrationState } from './migration-state.ts';
import { type CompleteServerOptions, completeServerOptions, type ServerOptions } from './options.ts';
import type { Tables } from './table.ts';
import { withTimeout } from './table-store.ts';

/** The migrations of a folder: every file is one, and they apply in the order of their names. */
export interface Migrations {
  /** Every migration, in order. Changes nothing. */
  states(db: Kysely<Tables>): Promise<readonly MigrationState[]>;
  /** Applies what the database does not have. A migration that is newer than this program is left alone. */
  apply(db: Kysely<Tables>): Promise<void>;
}

/**
 * @param schemaOf returns the schema of the tables, where Kysely would otherwise take those of another one for ours.
 */
export function migrationsIn(
  folder: string,
  schemaOf: (db: Kysely<Tables>) => Promise<string | null> = async () => null,
): Migrations {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder });

  async function migratorOn(db: Kysely<Tables>): Promise<Migrator> {
    const schema = await schemaOf(db);
    return new Migrator({
      db,
      provider,
      migrationTableName: MIGRATION_TABLE,
      migrationLockTableName: `${MIGRATION_TABLE}_lock`,
      ...(schema && { migrationTableSchema: schema }),
    });
  }

  return {
    async states(db) {
      const all = await (await migratorOn(db)).getMigrations();
      return all.map(({ name, executedAt }) => ({ name, applied: executedAt !== undefined }));
    },
    async apply(db) {
      const { error } = await (await migratorOn(db)).migrateToLatest();
      if (error) throw error;
    },
  };
}

/** What the adapter of a database server brings to be migrated. */
export interface MigratedServer {
  readonly migrations: Migrations;
  /** A `dropAfterMs` of 0 is no limit. */
  readonly open: (options: CompleteServerOptions, log: Logger) => Kysely<Tables>;
  /** What to throw for an error. */
  readonly translateError: (error: unknown) => unknown;
  /** Applies the migrations while no other process does. */
  applyAlone(
    db: Kysely<Tables>,
    options: CompleteServerOptions,
    apply: (db: Kysely<Tables>) => Promise<void>,
  ): Promise<void>;
}

/** How a database server is migrated. */
export interface ServerMigrations {
  /**
   * Applies what the database does not have yet. Safe to run again, and from several processes at once: one of them
   * migrates, the others wait for it and find it done. Where nothing is missing, nothing is written, and a migration that
   * is newer than this program is left alone.
   *
   * Migrating itself has no time limit: a large table takes as long as it takes. Waiting for another process that migrates
   * has one, `migrationLockTimeoutMs`.
   *
   * @returns every migration, in order.
   * @throws {StoreUnavailable} when the database cannot be reached, or another session holds the migration lock for too
   * long.
   * @throws {RangeError} when an option is out of its range.
   */
  readonly migrate: (options: ServerOptions) => Promise<readonly MigrationState[]>;
  /**
   * Which migrations the database has. Changes nothing.
   *
   * @returns every migration, in order.
   * @throws {StoreUnavailable} when the database cannot be reached.
   * @throws {RangeError} when an option is out of its range.
   */
  readonly status: (options: ServerOptions) => Promise<readonly MigrationState[]>;
}

export function serverMigrations({ migrations, open, translateError, applyAlone }: MigratedServer): ServerMigrations {
  async function use<T>(options: CompleteServerOptions, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    // After a failure Kysely runs another statement in the same transaction, and would throw the failure of that one.
    let first: unknown;
    const db = open(options, (event) => {
      if (event.level === 'error') first ??= event.error;
    });
    try {
      return await work(db);
    } catch (error) {
      throw translateError(first ?? error);
    } finally {
      await db.destroy();
    }
  }

  const statusOf = (options: CompleteServerOptions) =>
    use(options, (db) => withTimeout(migrations.states(db), options.timeoutMs));
  return {
    status: async (given) => statusOf(completeServerOptions(given)),
    async migrate(given) {
      const options = completeServerOptions(given);
      const before = await statusOf(options);
      if (isMigrated(before)) return before;
      return use({ ...options, dropAfterMs: 0 }, async (db) => {
        try {
          await applyAlone(db, options, migrations.apply);
          return await migrations.states(db);
        } catch (error) {
          const after = await migrations.states(db);
          // Another node of a cluster, which has a lock of its own, may have done it.
          if (isMigrated(after)) return after;
          throw error;
        }
      });
    },
  };
}
