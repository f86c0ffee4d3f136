import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrateSqlite } from '@plant-store/adapters-sqlite';
import type { Table } from '../contestants/contestants.ts';

/** Creates a table in a new file. */
export async function newSqliteTable(directory: string): Promise<Table> {
  const path = join(directory, `${randomUUID()}.db`);
  await migrateSqlite({ path });
  return {
    url: `sqlite:${path}`,
    async count() {
      using database = new DatabaseSync(path, { timeout: 10_000 });
      return Number(database.prepare('SELECT count(*) AS count FROM plants').get()?.['count']);
    },
  };
}
