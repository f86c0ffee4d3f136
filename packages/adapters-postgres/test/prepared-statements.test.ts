import pg from 'pg';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { arrayOf } from '../src/driver/array-literal.ts';
import type { Connections } from '../src/driver/connections.ts';
import { nameOf, preparedStatements } from '../src/driver/prepared-statements.ts';
import { runStatements } from '../src/driver/run-statements.ts';
import { migratedDatabase } from './open-store.ts';

const text = 'SELECT $1::int8 AS id';

const onError = vi.fn<(error: Error) => void>();
beforeEach(() => void onError.mockClear());

test('a statement is prepared once per connection', async () => {
  const client = await connected();
  const statements = preparedStatements(only(client), onError);
  for (let round = 1; round <= 3; round += 1) await statements.run(text, [String(round)]);
  expect(await preparedOn(client)).toEqual([{ name: nameOf(text), custom_plans: '3' }]);
});

test.each([
  ['has lost the statement', 'DEALLOCATE ALL'],
  [
    'has one with the same name from another client',
    `DEALLOCATE ALL; PREPARE "${nameOf('SELECT $1::text AS other')}" AS SELECT 1`,
  ],
])('a connection that %s continues without prepared statements', async (_, change) => {
  const client = await connected();
  const statements = preparedStatements(only(client), onError);
  await statements.run(text, ['1']);
  await client.query(change);
  expect(await statements.run('SELECT $1::text AS other', ['x'])).toEqual([['x']]);
  const atOnce = ['2', '3'].map((id) => statements.run(text, [id]));
  expect(await Promise.all(atOnce)).toEqual([[['2']], [['3']]]);
  await statements.run('SELECT $1::text AS third', ['x']);
  expect(await preparedOn(client)).toHaveLength(1);
  expect(onError.mock.calls.map(([error]) => error)).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/^prepared statements are off, .*; let the pooler track them/),
      cause: expect.any(pg.DatabaseError),
    }),
  ]);
});

test('a statement whose plan does not fit the changed table is prepared again', async () => {
  const client = await connected();
  const statements = preparedStatements(only(client), onError);
  const names = 'SELECT name FROM plants WHERE id = $1::int8';
  await statements.run(names, ['1']);
  for (const type of ['varchar(100)', 'text']) {
    await client.query(`ALTER TABLE plants ALTER name TYPE ${type}`);
    for (let round = 1; round <= 3; round += 1) expect(await statements.run(names, ['1'])).toEqual([]);
  }
  expect(await preparedOn(client)).toHaveLength(3);
  await statements.run(text, ['1']);
  expect(await preparedOn(client)).toHaveLength(4);
  expect(onError).not.toHaveBeenCalled();
});

test('the server reads every element of an array of texts as it was', async () => {
  const texts = ['Fern', '', ' ', 'a "quoted" \\ name', '\\"', '{1,2}', 'NULL', null];
  const { rows } = await (await connected()).query('SELECT $1::text[] AS texts', [arrayOf(texts)]);
  expect(rows).toEqual([{ texts }]);
});

test.each([
  ['once the connection takes another one', 'SELECT 1 / 0', 'division by zero', true],
  ['though the server ends the connection', 'SELECT pg_terminate_backend(pg_backend_pid())', 'terminating', false],
])('that a statement has failed is reported %s', async (_, failing, message, isReady) => {
  const client = await connected();
  client.on('error', () => {});
  const reported = await runStatements(client, [{ text: failing, values: [] }]).catch((error: Error) => [
    error.message,
    'readyForQuery' in client && client.readyForQuery,
  ]);
  expect(reported).toEqual([expect.stringContaining(message), isReady]);
});

/** Connections of which there is one, whatever happens on it. */
function only(client: pg.Client): Pick<Connections, 'run'> {
  return { run: (statement) => statement(Object.assign(client, { cancelledWait: undefined }) as never) };
}

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: await migratedDatabase() });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function preparedOn(client: pg.Client): Promise<unknown[]> {
  return (await client.query('SELECT name, custom_plans::text FROM pg_prepared_statements ORDER BY name')).rows;
}
