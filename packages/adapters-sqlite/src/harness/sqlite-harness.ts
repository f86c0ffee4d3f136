import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ExportHarness, PreparedExport } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import type { NewPlant } from '@plant-store/domain';
import { sqliteCapabilities } from '../capabilities.ts';
import { sqliteExport } from '../export.ts';
import { migrateSqlite } from '../migrations.ts';
import { openSqlite } from '../store.ts';

/**
 * SQLite on scratch files beside the given one, which is left alone and need not be there: on the same disk, with the
 * same rights.
 */
export function sqliteHarness(beside: string): ExportHarness {
  return { capabilities: sqliteCapabilities, prepare: () => prepare(beside) };
}

async function prepare(beside: string): Promise<PreparedExport> {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(`${beside}.verify-`).catch((cause: unknown) => {
    throw new Error(`no directory can be made beside ${beside}: give a path in one that is there and writable`, {
      cause,
    });
  });
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'plants.db');
  await migrateSqlite({ path });

  const kept = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    // A clause adds many at once: on a slow machine that is no reason to refuse some.
    open: () => openSqlite({ path, maxWaitMs: 60_000 }),
    export: () => sqliteExport({ path }),
    // Once: a second caller has to wait as well.
    dispose: () => (disposing ??= kept.disposeAsync()),
    refusedPlant: async () => refuse(path, { id: -7n, name: 'refused by a trigger' }),
    addUntilKilled: (plants) => kept.use(startAdder(addPlants, { options: { path }, plants })).answeredUntilKilled,
    startOutage: async () => lock(path),
  };
}

/** SQLite adds no CHECK to a table that is there. */
function refuse(path: string, plant: NewPlant): NewPlant {
  using database = new DatabaseSync(path);
  database.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.id = ${plant.id}
    BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END`);
  return plant;
}

/** Another connection holds the write lock, as a process does that was stopped in mid-transaction. */
function lock(path: string): () => Promise<void> {
  const database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  return async () => database.close();
}

/** The program that adds plants until it is killed, beside this file. */
const addPlants = join(import.meta.dirname, 'add-plants');
