import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DedicatedServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { engines, useServer } from '../../src/stores/servers.ts';
import { slowSyncs } from '../../src/stores/slow-syncs.ts';

const directory = mkdtempSync(join(tmpdir(), 'plant-store-slow-'));
chmodSync(directory, 0o755);
const slow = slowSyncs(directory);
let server: DedicatedServer;
beforeAll(async () => {
  if (typeof slow !== 'string') Object.assign(process.env, slow.environment);
  server = await startDedicatedServer();
  delete process.env['LD_PRELOAD'];
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

const use = () => useServer(engines.postgres, { BENCH_DATABASE_URL: server.url });

test.each(['fsync', 'synchronous_commit', 'full_page_writes'])('a server with %s off is rejected', async (setting) => {
  const { url } = server;
  const set = async (value: string) => {
    await runSql(url, `ALTER SYSTEM SET ${setting} TO ${value}`);
    await runSql(url, 'SELECT pg_reload_conf()');
    await expect.poll(() => runSql(url, `SHOW ${setting}`)).toEqual([{ [setting]: value }]);
  };
  await set('off');
  onTestFinished(() => set('on'));
  await expect(use()).rejects.toThrow(`does not sync its commits (${setting}=off)`);
});

test('a table is counted and dropped', async () => {
  const { newTable, description } = await use();
  expect(description).toMatch(/^PostgreSQL 1\d\S* \(given by BENCH_DATABASE_URL\), fsync=on, /);
  const table = await newTable();
  await runSql(table.url, `INSERT INTO plants SELECT id, 'Monstera', NULL FROM generate_series(1, 1000) id`);
  await table.settle();
  expect(await table.count()).toBe(1_000);
  await table[Symbol.asyncDispose]();
  const left = "SELECT datname FROM pg_database WHERE datname LIKE 'plant_store_bench_%'";
  expect(await runSql(server.url, left)).toEqual([]);
});

test('a commit takes as much longer as syncs are made to take', async () => {
  if (typeof slow === 'string')
    return expect(slow).toMatch(/^syncs can(not)? be made slower(: there is no cc| on Linux alone)$/);
  await using table = await (await use()).newTable();
  const commit = async (id: number) => {
    const start = performance.now();
    await runSql(table.url, `INSERT INTO plants VALUES (${id}, 'Monstera', NULL)`);
    return performance.now() - start;
  };
  slow.set(300);
  expect(await commit(1)).toBeGreaterThan(300);
  slow.set(0);
  await expect.poll(() => commit(Math.floor(Math.random() * 1e9)), { timeout: 60_000 }).toBeLessThan(300);
});
