import { randomBytes } from 'node:crypto';
import { migratePostgres } from '@plant-store/adapters-postgres';
import { runSql } from '@plant-store/testing-postgres';
import type { DatabaseServer } from './database-server.ts';
import type { Table } from './table.ts';

/** Creates an empty table in its own database, with the service's migrations whichever contestant uses it. */
export async function newPostgresTable(server: DatabaseServer): Promise<Table> {
  const name = `plant_store_bench_${randomBytes(6).toString('hex')}`;
  await runSql(server.url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`);
  const database = new URL(server.url);
  database.pathname = name;
  const url = database.href;
  await migratePostgres({ connectionString: url });
  return {
    url,
    async count() {
      const [row] = await runSql(url, 'SELECT count(*) FROM plants');
      return Number(row?.['count']);
    },
    async settle() {
      await runSql(url, 'VACUUM ANALYZE plants');
      await runSql(url, 'CHECKPOINT');
    },
    drop: async () => void (await runSql(server.url, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}
