import { type DedicatedServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../src/stores/postgres-server.ts';
import { newPostgresTable } from '../../src/stores/postgres-table.ts';

let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer();
});
afterAll(() => server.stop());

test.each(['fsync', 'synchronous_commit', 'full_page_writes'])('a server with %s off is rejected', async (setting) => {
  const { url } = server;
  const set = async (value: string) => {
    await runSql(url, `ALTER SYSTEM SET ${setting} TO ${value}`);
    await runSql(url, 'SELECT pg_reload_conf()');
    await expect.poll(() => runSql(url, `SHOW ${setting}`)).toEqual([{ [setting]: value }]);
  };
  await set('off');
  onTestFinished(() => set('on'));
  await expect(usePostgres({ BENCH_DATABASE_URL: url })).rejects.toThrow(`does not sync its commits (${setting}=off)`);
});

test('a table is counted and dropped', async () => {
  const { url } = server;
  const table = await newPostgresTable(await usePostgres({ BENCH_DATABASE_URL: url }));
  await runSql(table.url, `INSERT INTO plants SELECT id, 'Monstera', NULL FROM generate_series(1, 1000) id`);
  await table.settle();
  expect(await table.count()).toBe(1_000);
  await table.drop();
  expect(await runSql(url, "SELECT datname FROM pg_database WHERE datname LIKE 'plant_store_bench_%'")).toEqual([]);
});
