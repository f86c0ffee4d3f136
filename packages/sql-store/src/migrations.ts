import fs from 'node:fs/promises';
import path from 'node:path';
import type { Kysely } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import { isMigrated, MIGRATION_TABLE, type MigrationState } from './migration-state.ts';
import type { CompleteServerOptions } from './options.ts';
import { withTimeout } from './table-store.ts';

/** The migrations of a folder: every file is one, and they apply in the order of their names. */
export interface Migrations {
  /** Every migration, in order. Changes nothing. */
  states<Schema>(db: Kysely<Schema>): Promise<readonly MigrationState[]>;
  /** Applies what the database does not have. A migration that is newer than this program is left alone. */
  apply<Schema>(db: Kysely<Schema>): Promise<void>;
}

/**
 * @param schemaOf returns the schema of the tables, where Kysely would otherwise take those of another one for ours.
 */
export function migrationsIn(
  folder: string,
  schemaOf: <Schema>(db: Kysely<Schema>) => Promise<string | null> = async () => null,
): Migrations {
  const provider = new FileMigrationProvider({ fs, path, migrationFolder: folder });

  async function migratorOn<Schema>(db: Kysely<Schema>): Promise<Migrator> {
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
export interface MigratedServer<Options extends CompleteServerOptions, Schema> {
  readonly migrations: Migrations;
  /** Opens the database for as long as it is used. A `dropAfterMs` of 0 is no limit. Failures are {@link StoreUnavailable}. */
  use<Result>(options: Options, work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Applies the migrations while no other process does. */
  applyAlone(db: Kysely<Schema>, options: Options, apply: (db: Kysely<Schema>) => Promise<void>): Promise<void>;
}

/** How a database server is migrated. */
export interface ServerMigrations<Options> {
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
   */
  migrate(options: Options): Promise<readonly MigrationState[]>;
  /**
   * Which migrations the database has. Changes nothing.
   *
   * @returns every migration, in order.
   * @throws {StoreUnavailable} when the database cannot be reached.
   */
  status(options: Options): Promise<readonly MigrationState[]>;
}

export function serverMigrations<Options extends CompleteServerOptions, Schema>({
  migrations,
  use,
  applyAlone,
}: MigratedServer<Options, Schema>): ServerMigrations<Options> {
  const status = (options: Options) => use(options, (db) => withTimeout(migrations.states(db), options.timeoutMs));
  return {
    status,
    async migrate(options) {
      const before = await status(options);
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
