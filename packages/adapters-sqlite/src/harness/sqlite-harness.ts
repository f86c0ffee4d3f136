import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ExportHarness, PreparedExport } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import type { NewPlant } from '@plant-store/domain';
import { sqliteCapabilities } from '../capabilities.ts';
import { sqliteExport } from '../export.ts';
import { openSqlite } from '../store.ts';
import { migrate } from '../writer/migrate.ts';

/**
 * SQLite on scratch files beside the given one, on the same disk and with the same permissions. The given file is left
 * alone and need not exist.
 */
export function sqliteHarness(beside: string): ExportHarness {
  return { capabilities: sqliteCapabilities, prepare: () => prepare(beside) };
}

async function prepare(beside: string): Promise<PreparedExport> {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(`${beside}.verify-`).catch((cause: unknown) => {
    throw new Error(`cannot create a directory beside ${beside}: give a path in a writable directory`, {
      cause,
    });
  });
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'plants.db');
  await migrate({ path, timeoutMs: sqliteCapabilities.timeoutMs });

  const toDispose = resources.move();
  let disposing: Promise<void> | undefined;
  return {
    // A clause adds many at once: even a slow machine must not refuse some.
    open: (observer) => openSqlite({ path, maxWaitMs: 60_000, ...(observer && { observer }) }),
    export: () => sqliteExport({ path }),
    // Once: a second call waits, too.
    dispose: () => (disposing ??= toDispose.disposeAsync()),
    refusedPlant: async () => refuse(path, { id: -7n, name: 'Heracleum mantegazzianum' }),
    addUntilKilled: (plants) =>
      toDispose.use(startAdder(addPlants, { options: { path }, plants })).acknowledgedBeforeKill,
    startOutage: async () => lock(path),
  };
}

/** SQLite cannot add a CHECK to an existing table. */
function refuse(path: string, plant: NewPlant): NewPlant {
  using database = new DatabaseSync(path);
  database.exec(`
    CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN new.id = ${plant.id}
    BEGIN SELECT RAISE(ABORT, 'refused by a trigger'); END`);
  return plant;
}

/** Another connection holds the write lock, like a process that was stopped in mid-transaction. */
function lock(path: string): () => Promise<void> {
  const database = new DatabaseSync(path);
  database.exec('BEGIN IMMEDIATE');
  return async () => database.close();
}

/** The program that adds plants until it is killed, beside this file. */
const addPlants = join(import.meta.dirname, 'add-plants');
