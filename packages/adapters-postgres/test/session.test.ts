import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase } from '@plant-store/testing-postgres';
import { scratchDirectory } from '@plant-store/testing-servers';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import { kyselyPool } from '../src/driver/kysely.ts';
import { completeOptions } from '../src/options.ts';
import { asksForPassword, fakeServer } from './fake-server.ts';

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
  const pool = openConnections(completeOptions({ connectionString: server.url }));
  for (let attempt = 1; attempt <= 3; attempt += 1) await expect(pool.acquire()).rejects.toThrow(/password/);
  await expect.poll(() => server.open(), { timeout: 20_000 }).toBe(0);
  await pool.end();
});

test('a certificate that is missing for a moment only fails that connection attempt', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const certificate = join(directory, 'ca.pem');
  await writeFile(certificate, '');
  const url = await freshDatabase();
  const connectionString = `${url}${url.includes('?') ? '&' : '?'}sslmode=disable&sslrootcert=${encodeURIComponent(certificate)}`;
  const pool = openConnections(completeOptions({ connectionString }));
  await rm(certificate);
  await expect(pool.acquire()).rejects.toThrow('ENOENT');
  await writeFile(certificate, '');
  (await pool.acquire()).release();
  await pool.end();
});

test.each([
  ['dropAfterMs', '', { dropAfterMs: 300 }],
  ['the query_timeout of its URL', 'query_timeout=300', { dropAfterMs: 50 }],
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
