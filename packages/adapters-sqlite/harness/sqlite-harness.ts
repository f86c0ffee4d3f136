import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  adapterHarness,
  type HarnessChanges,
  type ScratchDatabase,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import type { NewPlant } from '@plant-store/domain';
import { sqliteCapabilities } from '../src/capabilities.ts';
import { sqliteExport } from '../src/export.ts';
import { migrate } from '../src/migrator.ts';
import type { SqliteOptions } from '../src/options.ts';
import { openSqlite } from '../src/store.ts';

/** Runs the contracts on scratch files beside the one at the URL, which it does not touch and which need not exist. */
export function storeHarness(url: string, changes?: Pick<HarnessChanges, 'timeoutMs'>): StoreHarness {
  return adapterHarness({
    capabilities: sqliteCapabilities,
    scratchLocation: 'a scratch directory beside the given file',
    scratch: () => scratchFile(url.replace(/^sqlite:/, '')),
    migrate: ({ path }) => migrate(path, sqliteCapabilities.timeoutMs),
    open: openSqlite,
    export: sqliteExport,
    opener: { module: join(import.meta.dirname, '../src/store'), name: 'openSqlite' },
    refuse,
    startOutage: lock,
    // The affinity NUMERIC changes the text 007 to 7.
    makeUnsafe: ({ path }) => replaceTable(path, 'id INTEGER PRIMARY KEY, name NUMERIC NOT NULL, tag NUMERIC'),
    refuseAll: ({ path }) =>
      replaceTable(path, 'id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT, planted_by TEXT NOT NULL'),
    misconfigured: ({ path, ...options }) => ({ ...options, path: dirname(path) }),
    ...changes,
  });
}

async function scratchFile(beside: string): Promise<ScratchDatabase<SqliteOptions>> {
  const directory = await mkdtemp(`${beside}.verify-`).catch((cause: unknown) => {
    throw new Error(`cannot create a directory beside ${beside}: give a path in a writable directory`, {
      cause,
    });
  });
  const drop = () => rm(directory, { recursive: true, force: true });
  return { options: { path: join(directory, 'plants.db') }, drop };
}

/** Uses a trigger, because SQLite cannot add a CHECK to a table. */
async function refuse({ path }: SqliteOptions, { id }: NewPlant): Promise<void> {
  using database = new DatabaseSync(path);
  database.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.id = ${id}
    BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END`);
}

/** Replaces the table of plants. @returns a function that restores it. */
async function replaceTable(path: string, columns: string): Promise<() => Promise<void>> {
  const run = (...statements: readonly string[]) => {
    using database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec(['BEGIN IMMEDIATE', ...statements, 'COMMIT'].join(';'));
  };
  run('ALTER TABLE plants RENAME TO original', `CREATE TABLE plants (${columns})`);
  return async () => run('DROP TABLE plants', 'ALTER TABLE original RENAME TO plants');
}

/** Takes the write lock, like a process that stops in mid-transaction. @returns a function that releases it. */
async function lock({ path }: SqliteOptions): Promise<() => Promise<void>> {
  const database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  return async () => database.close();
}
