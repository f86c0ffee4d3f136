import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite } from '@plant-store/adapters-sqlite';
import type { Store } from './store.ts';

/** Files below the directory. */
export function useSqlite(directory: string): Store {
  return {
    description: 'SQLite of Node, WAL, synchronous=FULL',
    isOurs: true,
    async newTable() {
      const home = await mkdtemp(join(directory, 'sqlite-'));
      const path = join(home, 'plants.db');
      await migrateSqlite({ path });
      const run = (sql: string) => {
        using database = new DatabaseSync(path, { timeout: 10_000 });
        return database.prepare(sql).get();
      };
      return {
        url: `sqlite:${path}`,
        count: async () => Number(run('SELECT count(*) AS count FROM plants')?.['count']),
        settle: async () => void run('PRAGMA wal_checkpoint(TRUNCATE)'),
        [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
      };
    },
    stop: async () => {},
  };
}
