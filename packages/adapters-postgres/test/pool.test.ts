import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionFigures } from '@plant-store/domain';
import { unobserved } from '@plant-store/group-commit';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test } from 'vitest';
import { type Connection, openConnections } from '../src/driver/connections.ts';
import { openHosts } from '../src/driver/hosts.ts';
import { kyselyPool } from '../src/driver/kysely-pool.ts';
import { openPool } from '../src/driver/pool.ts';
import { completeOptions } from '../src/options.ts';
import { asksForPassword, fakeServer, letsIn } from './fake-server.ts';

test('a connection whose caller timed out while it was checked is available to the next one', async () => {
  const options = completeOptions({
    connectionString: await freshDatabase(),
    poolSize: 1,
    connectWithinMs: 300,
    dropAfterMs: 60_000,
  });
  const looked = Promise.withResolvers<void>();
  let look = Promise.resolve();
  const pool = openPool(options, () => look);
  const first = await pool.connect();
  look = looked.promise;
  const late = pool.connect();
  // It gets the new connection while it waits, and times out while that is checked.
  first.release(true);
  await expect(late).rejects.toThrow('timeout exceeded when trying to connect');
  looked.resolve();
  await expect.poll(() => pool.idleCount, { timeout: 10_000 }).toBe(1);
  (await pool.connect()).release();
  await pool.end();
});

test('a connection that is released goes to whoever waits for one, then to whoever comes next, and is idle meanwhile', async () => {
  let figures = (): Partial<ConnectionFigures> => ({});
  const watchConnections = (get: typeof figures) => {
    figures = get;
  };
  const connections = openConnections(
    completeOptions({
      connectionString: await freshDatabase(),
      poolSize: 1,
      connectWithinMs: 10_000,
      observer: { ...unobserved, watchConnections },
    }),
  );
  const pid = async ({ use }: Connection) =>
    use(async (client) => (await client.query('SELECT pg_backend_pid()')).rows);
  const first = await connections.connect();
  const second = connections.connect();
  const same = await pid(first);
  first.release();
  expect(await Promise.race([second.then(pid), sleep(500)])).toEqual(same);
  expect(figures()).toMatchObject({ used: 1, idle: 0, pending: 0 });
  (await second).release();
  expect(figures()).toMatchObject({ used: 0, idle: 1 });
  const third = await connections.connect();
  expect(await pid(third)).toEqual(same);
  third.release();
  expect(() => third.release()).toThrow('released already');
  await connections.end();
});

test('a connection that opens after the pool was closed is released', async () => {
  const pool = kyselyPool(openConnections(completeOptions({ connectionString: await freshDatabase() })));
  const connection = pool.connect();
  const ended = pool.end();
  await expect(connection).rejects.toThrow('the PostgreSQL store is closed');
  expect(await Promise.race([ended.then(() => 'closed'), sleep(10_000)])).toBe('closed');
});

test('a server that accepts a connection and then hangs times out like an unreachable one', async () => {
  const { url } = await fakeServer(letsIn);
  // Nothing drops a statement, as where a table is migrated.
  const pool = openHosts(
    completeOptions({ connectionString: url, connectWithinMs: 200, dropAfterMs: 2 ** 31 - 1 }),
    () => 0,
  );
  const outcome = pool.connect().catch((error: Error) => error.message);
  expect(await Promise.race([outcome, sleep(20_000)])).toBe('Query read timeout');
  expect(await Promise.race([pool.end().then(() => 'closed'), sleep(20_000)])).toBe('closed');
});

test('a connection in use does not prevent the pool from closing if the server hangs', async () => {
  const { url } = await fakeServer(letsIn, false);
  const options = completeOptions({ connectionString: url });
  const pool = kyselyPool(
    openConnections(
      options,
      undefined,
      openPool(options, async () => {}),
    ),
  );
  const connection = await pool.connect();
  const ended = pool.end().then(() => 'closed');
  connection.release();
  expect(await Promise.race([ended, sleep(20_000)])).toBe('closed');
});

test('a connection that fails on the client side because of a missing password is closed', async () => {
  const server = await fakeServer(asksForPassword);
  const pool = openHosts(completeOptions({ connectionString: server.url }), () => 0);
  for (let attempt = 1; attempt <= 3; attempt += 1) await expect(pool.connect()).rejects.toThrow(/password/);
  await expect.poll(() => server.open(), { timeout: 20_000 }).toBe(0);
  await pool.end();
});

test('a certificate that is missing for a moment only fails that connection attempt', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const certificate = join(directory, 'ca.pem');
  await writeFile(certificate, '');
  const { url } = await fakeServer(letsIn);
  const connectionString = `${url}?sslmode=disable&sslrootcert=${encodeURIComponent(certificate)}`;
  const pool = openPool(completeOptions({ connectionString, poolSize: 1, connectWithinMs: 10_000 }), async () => {});
  const first = await pool.connect();
  const next = pool.connect();
  await rm(certificate);
  // As soon as it ends, the pool opens the next one.
  first.release(true);
  await expect(next).rejects.toThrow('ENOENT');
  await writeFile(certificate, '');
  (await pool.connect()).release();
  await pool.end();
});

test('a broken connection is not used again', async () => {
  const options = completeOptions({ connectionString: await freshDatabase(), dropAfterMs: 300 });
  const pool = kyselyPool(openConnections(options));
  const connection = await pool.connect();
  const failure = await connection.query('SELECT pg_sleep(60)', []).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('Query read timeout') });
  expect(await connection.query('ROLLBACK', []).catch((error: unknown) => error)).toBe(failure);
  connection.release();
  await pool.end();
});
