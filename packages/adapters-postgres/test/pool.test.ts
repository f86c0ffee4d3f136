import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionFigures, unobserved } from '@plant-store/sql-store';
import { freshDatabase } from '@plant-store/testing-postgres';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Connection, openConnections } from '../src/driver/connections.ts';
import { type Hosts, openHosts } from '../src/driver/hosts.ts';
import { kyselyPool } from '../src/driver/kysely.ts';
import { openPool } from '../src/driver/pool.ts';
import { completeOptions } from '../src/options.ts';
import { asksForPassword, fakeServer, letsIn } from './fake-server.ts';

test('a connection whose caller timed out while it was checked is available to the next one', async () => {
  const options = completeOptions({
    connectionString: await freshDatabase(),
    poolSize: 1,
    connectWithinMs: 300,
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
    // An observer may ask at once.
    expect(get()).toEqual({ used: 0, idle: 0, pending: 0, max: 1 });
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

test('only a connection that is lost while it is kept goes back to its pool at once, and is reported', async () => {
  const [used, lost, kept] = [fakeClient(), fakeClient(), fakeClient()];
  const { onError, connections } = withClients(used, lost, kept);
  await connections.connect();
  for (const { release } of [await connections.connect(), await connections.connect()]) release();
  for (const client of [used, lost]) client.onLost?.(new Error('gone'));
  expect(onError.mock.calls).toEqual([[new Error('idle connection to PostgreSQL lost: gone')]]);
  vi.advanceTimersByTime(1_000);
  expect([used, lost, kept].map(({ release }) => release.mock.calls)).toEqual([[], [[]], [[]]]);
});

test('a connection that opens after the pool was closed is released even if the server hangs', async () => {
  const { url } = await fakeServer(letsIn, false);
  const pool = withoutCheck(url);
  const connection = pool.connect();
  const ended = pool.end();
  await expect(connection).rejects.toThrow('the PostgreSQL store is closed');
  expect(await Promise.race([ended.then(() => 'closed'), sleep(10_000)])).toBe('closed');
});

test('other users of pg in this process still read an int64 as they did', async () => {
  const pool = kyselyPool(openConnections(completeOptions({ connectionString: await freshDatabase() })));
  (await pool.connect()).release();
  expect(pg.types.getTypeParser(pg.types.builtins.INT8)('1')).toBe('1');
  await pool.end();
});

test('a warning that is not of a wait for a standby does not fail its statement', async () => {
  const pool = kyselyPool(openConnections(completeOptions({ connectionString: await freshDatabase() })));
  const { query, release } = await pool.connect();
  expect(await query(`DO $$ BEGIN RAISE WARNING 'careful'; END $$`, [])).toMatchObject({ command: 'DO' });
  release();
  await pool.end();
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

test.each([
  ['dropAfterMs', '', { dropAfterMs: 300 }],
  ['the query_timeout of its URL', 'query_timeout=300', {}],
])('a connection whose statement takes longer than %s is not used again', async (_, parameter, given) => {
  const url = await freshDatabase();
  const connectionString = `${url}${url.includes('?') ? '&' : '?'}${parameter}`;
  const options = completeOptions({ connectionString, ...given });
  const pool = kyselyPool(openConnections(options));
  const connection = await pool.connect();
  const failure = await connection.query('SELECT pg_sleep(60)', []).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'PostgreSQL: the server did not end a statement within 300 ms' });
  expect(await connection.query('ROLLBACK', []).catch((error: unknown) => error)).toBe(failure);
  connection.release();
  await pool.end();
});

test("a URL's query_timeout replaces dropAfterMs", async () => {
  const url = await freshDatabase();
  const connectionString = `${url}${url.includes('?') ? '&' : '?'}query_timeout=60000`;
  const pool = kyselyPool(openConnections(completeOptions({ connectionString, dropAfterMs: 50 })));
  const { query, release } = await pool.connect();
  expect(await query('SELECT pg_sleep(0.2)', [])).toMatchObject({ rowCount: 1 });
  release();
  await pool.end();
});

/** A pool whose new connections are not checked, which needs no more than the server's first response. */
function withoutCheck(connectionString: string) {
  const options = completeOptions({ connectionString });
  const hosts = openPool(options, async () => {});
  return kyselyPool(openConnections(options, undefined, hosts));
}

/** What is used of a client. */
function fakeClient() {
  return {
    release: vi.fn<(destroy?: boolean) => void>(),
    connection: { stream: { destroy: vi.fn<() => void>() } },
    onLost: undefined as ((error: Error) => void) | undefined,
  };
}

/** Connections from a host that has these clients. Time stands still until it is advanced. */
function withClients(...clients: ReturnType<typeof fakeClient>[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onError = vi.fn<(error: Error) => void>();
  const connect = vi.fn<Hosts['connect']>(async () => clients.shift() as never);
  const options = completeOptions({ connectionString: 'postgres://db.example/plants', onError });
  return { onError, connect, connections: openConnections(options, undefined, { connect, end: async () => {} }) };
}
