import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, ownServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { scratchDirectory } from '@plant-store/testing-servers';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { directoryOf } from './server-directory.ts';

const server = ownServer();

test('commits are durable: fsync is on', async () => {
  expect(await runSql(server.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
});

test('killing a server closes its connections and prevents new ones; once restarted, it has its data', async () => {
  const url = await freshDatabase(server.url);
  await runSql(url, 'CREATE TABLE plants (id bigint); INSERT INTO plants VALUES (1)');
  const client = await connect(url);
  const cut = expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow(/terminated unexpectedly|ECONNRESET/);

  await server.kill();
  await cut;
  await expect(runSql(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  await server.start();
  expect(await runSql(url, 'SELECT id FROM plants')).toEqual([{ id: '1' }]);
});

test('a paused server does not respond on old or new connections until it is resumed', async () => {
  const client = await connect(server.url);
  await server.pause();
  const responded: string[] = [];
  const queries = [
    client.query('SELECT 1').then(() => responded.push('on an old connection')),
    runSql(server.url, 'SELECT 1').then(() => responded.push('on a new one')),
  ];
  await sleep(300);
  expect(responded).toEqual([]);

  await server.resume();
  await Promise.all(queries);
  expect(responded).toHaveLength(2);
  await client.end();
});

test.each(['running', 'killed', 'paused'])('stopping a server that is %s leaves nothing behind', async (state) => {
  const other = await startDedicatedServer();
  const [pid, , , , , , memory] = await lockFile(other.url);
  if (state === 'killed') await other.kill();
  if (state === 'paused') await other.pause();
  await other.stop();
  expect(existsSync(directoryOf(other.url))).toBe(false);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  const sharedMemory = execFileSync('ipcs', ['-m'], { encoding: 'utf8' });
  expect(sharedMemory).not.toMatch(new RegExp(`^\\S+\\s+${memory?.split(/\s+/).at(-1)}\\s`, 'm'));
});

test('a server also starts if the temporary directory is closed to other users, or its path too long for a socket', async () => {
  const long = join(await scratchDirectory(onTestFinished), 'x'.repeat(100));
  await mkdir(long);
  vi.stubEnv('TMPDIR', long);
  onTestFinished(() => void vi.unstubAllEnvs());
  const other = await startDedicatedServer();
  onTestFinished(() => other.stop());
  expect(await runSql(other.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

/** The lines of `postmaster.pid`: the first is the process id, the seventh names the shared memory. */
async function lockFile(url: string): Promise<readonly string[]> {
  return (await readFile(join(directoryOf(url), 'data', 'postmaster.pid'), 'utf8'))
    .split('\n')
    .map((line) => line.trim());
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  return client.connect();
}
