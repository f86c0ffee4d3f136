import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite } from '@plant-store/adapters-sqlite';
import type { Table } from './table.ts';

/** Creates an empty table in its own file below the directory, with the service's migrations. */
export async function newSqliteTable(directory: string): Promise<Table> {
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
    drop: () => rm(home, { recursive: true, force: true }),
  };
}
