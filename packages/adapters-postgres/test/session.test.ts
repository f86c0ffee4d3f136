import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completeServerOptions } from '@plant-store/store-kit';
import { freshDatabase } from '@plant-store/testing-postgres';
import { scratchDirectory } from '@plant-store/testing-servers';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type PostgresDatabase } from '../src/database.ts';
import type { PostgresOptions } from '../src/options.ts';
import { asksForPassword, fakeServer, letsIn } from './fake-server.ts';
import { migratedDatabase } from './open-store.ts';

test('other users of pg in this process still read an int64 as they did', async () => {
  const { db } = await opened();
  expect((await sql`SELECT 1::int8 AS one`.execute(db)).rows).toEqual([{ one: 1n }]);
  expect(pg.types.getTypeParser(pg.types.builtins.INT8)('1')).toBe('1');
});

test('a warning that is not of a wait for a standby does not fail its statement', async () => {
  const { db } = await opened();
  await sql`DO $$ BEGIN RAISE WARNING 'careful'; END $$`.execute(db);
});

test('a connection that fails on the client side because of a missing password is closed', async () => {
  const server = await fakeServer(asksForPassword);
  const { sessions } = await opened({ connectionString: server.url });
  for (let attempt = 1; attempt <= 3; attempt += 1) await expect(sessions.acquire()).rejects.toThrow(/password/);
  await expect.poll(() => server.open(), { timeout: 20_000 }).toBe(0);
});

test('a certificate that is missing for a moment only fails that connection attempt', async () => {
  const directory = await scratchDirectory(onTestFinished);
  const certificate = join(directory, 'ca.pem');
  await writeFile(certificate, '');
  const url = await freshDatabase();
  const connectionString = `${url}${url.includes('?') ? '&' : '?'}sslmode=disable&sslrootcert=${encodeURIComponent(certificate)}`;
  const { sessions } = await opened({ connectionString });
  await rm(certificate);
  await expect(sessions.acquire()).rejects.toThrow('ENOENT');
  await writeFile(certificate, '');
  sessions.release(await sessions.acquire());
});

test('a connection whose statement takes longer than dropAfterMs is not used again', async () => {
  const { db } = await opened({ dropAfterMs: 300 });
  const transaction = await db.startTransaction().execute();
  const failure = await sql`SELECT pg_sleep(60)`.execute(transaction).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/^the server did not end a statement within \d+ ms$/),
  });
  expect(
    await transaction
      .rollback()
      .execute()
      .catch((error: unknown) => error),
  ).toBe(failure);
});

test('a statement is prepared once per connection, and again when the table has changed; with prepare=false never', async () => {
  for (const prepare of [true, false]) {
    const url = await migratedDatabase();
    const { db, sessions } = await opened({
      poolSize: 1,
      connectionString: `${url}${url.includes('?') ? '&' : '?'}prepare=${prepare}`,
    });
    const read = () => db.selectFrom('plants').select('name').where('id', '=', 1n).execute();
    for (let round = 1; round <= 3; round += 1) await read();
    const prepared = await sql<{ name: string }>`SELECT name FROM pg_prepared_statements`.execute(db);
    expect(prepared.rows).toHaveLength(prepare ? 1 : 0);
    await sql`ALTER TABLE plants ALTER name TYPE varchar(100)`.execute(db);
    // The connection that has the outdated one is dropped.
    if (prepare) await expect(read()).rejects.toThrow('cached plan must not change result type');
    expect(await read()).toEqual([]);
    await sessions.end();
  }
});

test('the server reads every element of an array of texts as it was', async () => {
  const { db } = await opened();
  const texts = ['Fern', '', ' ', 'a "quoted" \\ name', '\\"', '{1,2}', 'NULL', null];
  const { rows } = await sql`SELECT ${texts}::text[] AS texts`.execute(db);
  expect(rows).toEqual([{ texts }]);
});

test('a statement that is late is cancelled on the server, by TLS where the session has it', async () => {
  // A server that lets in, takes a statement, and notes what else connects to it.
  const cancels: string[] = [];
  const server = await fakeServer(letsIn, true, (bytes) => void cancels.push(bytes.toString('hex')));
  const { sessions } = await opened({ connectionString: server.url, dropAfterMs: 300 });
  await expect(sessions.use((session) => session.query({ text: 'SELECT 1' }))).rejects.toThrow(
    'did not end a statement',
  );
  // CancelRequest, the process and its key (PostgreSQL documentation, «Message Formats»).
  await expect.poll(() => cancels).toContain('0000001004d2162e0000000100000002');
});

async function opened(options: Partial<PostgresOptions> = {}): Promise<PostgresDatabase> {
  const connectionString = options.connectionString ?? (await migratedDatabase());
  const database = openDatabase(completeServerOptions({ ...options, connectionString }));
  onTestFinished(() => database.sessions.end());
  return database;
}
