import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, openSqlite, sqlitePromises } from '@plant-store/adapters-sqlite';
import type { NewPlant } from '@plant-store/domain';
import type { PreparedStore, StoreUnderTest } from '@plant-store/domain/contract';
import { formatPlants } from './processes/plants-on-a-pipe.ts';
import { start } from './processes/start.ts';
import { makeDirectory } from './temporary-directory.ts';

/** SQLite on real files, each in a directory of its own. */
export const sqliteUnderTest: StoreUnderTest = {
  promises: sqlitePromises,
  async prepare(): Promise<PreparedStore> {
    const directory = await makeDirectory();
    const path = join(directory, 'plants.sqlite');
    await migrateSqlite({ path });
    return {
      open: () => openSqlite({ path }),
      dispose: () => rm(directory, { recursive: true }),
      refusedPlant: async () => refuse(path, { id: -7n, name: 'refused by a trigger' }),
      addUntilKilled: (plants) => addUntilKilled(path, plants),
      startOutage: async () => lock(path),
    };
  },
};

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

async function addUntilKilled(path: string, plants: readonly NewPlant[]): Promise<readonly NewPlant[]> {
  const { child, lines, exit } = await start('add-plants.ts', path);
  const answered = new Set<string | undefined>();
  lines.on('line', (line) => {
    answered.add(line.split(' ')[0]);
    if (answered.size === 200) child.kill('SIGKILL');
  });
  child.stdin.end(formatPlants(plants));
  const [[, signal]] = await Promise.all([exit, once(lines, 'close')]);
  if (signal !== 'SIGKILL') throw new Error(`the process ended by itself after ${answered.size} plants`);
  return plants.filter(({ id }) => answered.has(String(id)));
}
