import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  adapterHarness,
  type HarnessChanges,
  type ScratchDatabase,
  type StoreHarness,
} from '@plant-store/contracts-stores';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { type SqliteOptions, sqliteCapabilities, sqliteStorage } from '../src/store.ts';

/** Runs the contracts on scratch files beside the one at the URL, which it does not touch and which need not exist. */
export function storeHarness(url: string, changes?: Pick<HarnessChanges, 'timeoutMs'>): StoreHarness {
  return adapterHarness({
    capabilities: sqliteCapabilities,
    scratchLocation: 'a scratch directory beside the given file',
    scratch: () => createScratchFile(url.replace(/^sqlite:/, '')),
    migrate: (options) => sqliteStorage(options).migrate(),
    open: openSqlite,
    export: (options) => sqliteStorage(options).export(),
    opener: { module: join(import.meta.dirname, 'sqlite-harness'), name: 'openSqlite' },
    refuse,
    startOutage: lock,
    faults: {
      // It changes the text 007 to 7.
      'columns of the affinity NUMERIC': replaceTable('id INTEGER PRIMARY KEY, name NUMERIC NOT NULL, tag NUMERIC'),
      'a further column that is NOT NULL': replaceTable(
        'id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT, planted_by TEXT NOT NULL',
      ),
      'a trigger that trims the name': createTrigger('UPDATE plants SET name = trim(name) WHERE id = new.id'),
      'a trigger that deletes the plant': createTrigger('DELETE FROM plants WHERE id = new.id'),
    },
    ...changes,
  });
}

/** Opens a store, also in a process of its own. */
export const openSqlite = (options: SqliteOptions): Promise<PlantStore> => sqliteStorage(options).open();

async function createScratchFile(beside: string): Promise<ScratchDatabase<SqliteOptions>> {
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
  run(
    path,
    `CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.id = ${id}
    BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END`,
  );
}

/** @returns a fault that replaces the table of plants by one with these columns. */
const replaceTable =
  (columns: string) =>
  async ({ path }: SqliteOptions) => {
    run(path, `ALTER TABLE plants RENAME TO original; CREATE TABLE plants (${columns})`);
    return async () => run(path, 'DROP TABLE plants; ALTER TABLE original RENAME TO plants');
  };

/** @returns a fault that creates a trigger. */
const createTrigger =
  (statement: string) =>
  async ({ path }: SqliteOptions) => {
    run(path, `CREATE TRIGGER fault AFTER INSERT ON plants BEGIN ${statement}; END`);
    return async () => run(path, 'DROP TRIGGER fault');
  };

function run(path: string, statements: string): void {
  using database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`BEGIN IMMEDIATE; ${statements}; COMMIT`);
}

/** Takes the write lock, like a process that stops in mid-transaction. @returns a function that releases it. */
async function lock({ path }: SqliteOptions): Promise<() => Promise<void>> {
  const database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  return async () => database.close();
}
