import { inspect } from 'node:util';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing/postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresErrors } from '../src/errors.ts';
import { migratedDatabase, openStore, trigger, withRole } from './open-store.ts';

const catchFailure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

test('a message says what to do; neither it nor its cause holds the password', async () => {
  const { store } = await openStore({ connectionString: 'postgres://me:s3cret@127.0.0.1:1/plants', timeoutMs: 200 });
  const error = await catchFailure(store.plants.add({ id: 1n, name: 'Fern' }));
  expect(error).toMatchObject({
    message:
      'PostgreSQL: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED); check that it runs and that host and port are right',
    cause: expect.any(Error),
  });
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
});

test.each<[fault: string, change: string, rest: object, message: RegExp]>([
  ['a rejected user', 'ALTER ROLE me NOLOGIN', {}, /\(28000\); check user, password/],
  ['a missing database', 'SELECT', { pathname: 'missing' }, /\(3D000\); check user, password, database/],
  ['a missing privilege', 'REVOKE INSERT ON plants FROM me', {}, /\(42501\); grant the user SELECT and INSERT/],
])('F11: with %s opening throws StoreMisconfigured', async (_, change, rest, message) => {
  const owner = await migratedDatabase();
  const url = new URL(await withRole(owner, 'SELECT, INSERT'));
  await runSql(owner, change.replace(' me', ` ${url.username}`));
  const failure = await catchFailure(openStore({ connectionString: Object.assign(url, rest).href }));
  expect(failure).toBeInstanceOf(StoreMisconfigured);
  expect(failure).toHaveProperty('message', expect.stringMatching(message));
});

const databaseError = (code: string, message = 'of a test') =>
  Object.assign(new pg.DatabaseError(message, 9, 'error'), { code });

test.each<[error: Error, Port: typeof PlantRefused | typeof StoreUnavailable, failure: string, hint?: string]>([
  [new Error('SASL: SCRAM: client password must be a string'), StoreMisconfigured, 'other', 'check the password'],
  [Object.assign(new Error('of a test'), { code: 'ECONNRESET' }), StoreUnavailable, 'transient'],
  [Object.assign(new Error('not of the server'), { code: '23505' }), StoreUnavailable, 'transient'],
  [databaseError('25006'), StoreUnavailable, 'transient', 'connect to the primary'],
  [databaseError('53300'), StoreUnavailable, 'transient', 'raise max_connections'],
  [databaseError('57P01'), StoreUnavailable, 'transient'],
  [databaseError('40001'), StoreUnavailable, 'transient'],
  [databaseError('55P03'), StoreUnavailable, 'locked'],
  [databaseError('42P01'), StoreUnavailable, 'other', 'the database is not migrated'],
  [databaseError('08P01', 'no such database: plants'), StoreMisconfigured, 'other', 'auth_file'],
  [databaseError('26000'), StoreMisconfigured, 'other', 'add prepare=false to the URL'],
  [databaseError('55000'), StoreUnavailable, 'other', 'see https'],
  [databaseError('23514'), PlantRefused, 'refused', 'of a test'],
  [databaseError('22P02', 'invalid input: "Fern"'), PlantRefused, 'refused', 'it rejects a value'],
])('%o is %s', (error, Port, failure, hint = '') => {
  const translated = postgresErrors.translate(error);
  expect(translated.constructor).toBe(Port);
  expect(inspect(translated)).toContain(hint);
  expect(inspect(translated)).not.toContain('Fern');
  expect([postgresErrors.classify(error), postgresErrors.classify(translated)]).toEqual([failure, failure]);
});

const noFerns = (statement: string) => trigger(`IF NEW.name = 'Fern' THEN ${statement}; END IF`);

test.each([
  ['an error that a trigger raises', noFerns("RAISE 'no Fern' USING ERRCODE = '42501'"), /\(42501\); grant/],
  ['an error with a code of its own', noFerns("RAISE 'no Fern' USING ERRCODE = 'PL001'"), /\(PL001\)/],
  ['a trigger that ignores it', noFerns('RETURN NULL'), /^the table plants ignores or hides the plant/],
  [
    'a deferred constraint',
    `ALTER TABLE plants ADD UNIQUE (name) DEFERRABLE INITIALLY DEFERRED; INSERT INTO plants VALUES (9, 'Fern')`,
    /\(23505\)$/,
  ],
])('a plant rejected by %s is refused alone', async (_, change, message) => {
  const { store, url } = await openStore();
  await runSql(url, change);
  const adding = ['Moss', 'Fern', 'Ivy'].map((name, at) => store.plants.add({ id: BigInt(at), name }));
  const added = { status: 'fulfilled', value: { outcome: 'added' } };
  const refused = { reason: { name: 'PlantRefused', message: expect.stringMatching(message) } };
  const results = await Promise.allSettled(adding);
  expect(results).toMatchObject([added, refused, added]);
  // P7: a trigger's text may quote the plant.
  expect(inspect(results)).not.toContain('Fern');
});

test('P7 an error of a trigger keeps its meaning, and shows no text of the plant', () => {
  const raised = { where: 'PL/pgSQL function act()', hint: 'Fern', internalQuery: 'Fern', detail: 'Fern' };
  for (const [code, name, failure] of [
    ['40001', 'StoreUnavailable', 'transient'],
    ['55P03', 'StoreUnavailable', 'locked'],
    ['53100', 'StoreUnavailable', 'other'],
    ['42P01', 'StoreUnavailable', 'other'],
    ['55000', 'PlantRefused', 'refused'],
  ] as const) {
    const error = Object.assign(databaseError(code, 'no Fern'), raised);
    const translated = postgresErrors.translate(error);
    expect([code, translated.name, postgresErrors.classify(translated)]).toEqual([code, name, failure]);
    expect(postgresErrors.isTableMissing(translated)).toBe(code === '42P01');
    expect(inspect(translated, { depth: 20, showHidden: true })).not.toContain('Fern');
  }
});
