import { runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from '../../src/stores/postgres-server.ts';
import { newPostgresTable } from '../../src/stores/postgres-table.ts';

async function aServer(): Promise<{ readonly url: string }> {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  return server;
}

test.each(['fsync', 'synchronous_commit', 'full_page_writes'])('a server with %s off is rejected', async (setting) => {
  const { url } = await aServer();
  await runSql(url, `ALTER SYSTEM SET ${setting} TO off`);
  await runSql(url, 'SELECT pg_reload_conf()');
  await expect.poll(() => runSql(url, `SHOW ${setting}`)).toEqual([{ [setting]: 'off' }]);
  await expect(usePostgres({ BENCH_DATABASE_URL: url })).rejects.toThrow(`does not sync its commits (${setting}=off)`);
});

test('a table is filled, counted and dropped', async () => {
  const { url } = await aServer();
  const server = await usePostgres({ BENCH_DATABASE_URL: url });
  const table = await newPostgresTable(server);
  await table.fill(1_000);
  await table.settle();
  expect(await table.count()).toBe(1_000);
  await table.drop();
  expect(await runSql(url, "SELECT datname FROM pg_database WHERE datname LIKE 'plant_store_bench_%'")).toEqual([]);
});
