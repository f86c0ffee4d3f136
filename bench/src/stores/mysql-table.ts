import { randomBytes } from 'node:crypto';
import { migrateMysql } from '@plant-store/adapters-mysql';
import { runSql } from '@plant-store/testing-mysql';
import type { DatabaseServer } from './database-server.ts';
import type { Table } from './table.ts';

/** Creates an empty table in its own database, with the service's migrations whichever contestant uses it. */
export async function newMysqlTable(server: DatabaseServer): Promise<Table> {
  const name = `plant_store_bench_${randomBytes(6).toString('hex')}`;
  await runSql(server.url, `create database ${name}`);
  const url = Object.assign(new URL(server.url), { pathname: name }).href;
  await migrateMysql({ connectionString: url });
  return {
    url,
    count: async () => Number((await runSql(url, 'select count(*) as count from plants'))[0]?.['count']),
    settle: async () => void (await runSql(url, 'analyze table plants')),
    drop: async () => void (await runSql(server.url, `drop database ${name}`)),
  };
}
