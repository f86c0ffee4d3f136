import { inspect } from 'node:util';
import { migratePostgres, postgresMigrationStatus } from '@plant-store/adapters-postgres';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresErrors } from '../src/errors.ts';

const { isLost, isRefused, isTransient, translate } = postgresErrors;

import { migratedDatabase, openStore, withRole } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

async function failureOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

test.each([
  ['SELECT, INSERT', 'for key share'],
  ['SELECT, UPDATE', 'insert'],
])('a user who may %s only: adds and checks say so', async (privileges) => {
  const { store, url } = await openStore();
  await store.plants.add(fern);
  const restricted = await openStore({ connectionString: await withRole(url, privileges) });
  for (const call of [() => restricted.store.check(), () => restricted.store.plants.add(fern)])
    expect((await failureOf(call())).message).toContain('grant the user SELECT, INSERT and UPDATE');
});

test('a message says what to do; neither it nor its cause holds the password', async () => {
  const { store } = await openStore({ connectionString: 'postgres://me:s3cret@127.0.0.1:1/plants' });
  const error = await failureOf(store.plants.add(fern));
  expect(error.message).toBe(
    'PostgreSQL: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED); check that it runs and that host and port are right',
  );
  expect(error.cause).toBeInstanceOf(Error);
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
});

const inTrigger = (statement: string) => `
  CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
  CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION fail()`;

/** Each from the server itself. */
test.each([
  ['ALTER ROLE me NOLOGIN', StoreMisconfigured, /\(28000\); check user, password and pg_hba.conf/],
  ['ALTER ROLE me CONNECTION LIMIT 0', StoreUnavailable, /\(53300\); raise max_connections or the role's/],
  ['ALTER ROLE me SET default_transaction_read_only = on', StoreUnavailable, /\(25006\); .* was made read-only/],
  [
    `ALTER ROLE me SET statement_timeout = 1; ${inTrigger('PERFORM pg_sleep(9)')}`,
    StoreUnavailable,
    /\(57014\); the user has a/,
  ],
  ['DROP TABLE plants', StoreUnavailable, /the database is not migrated, or the table was dropped/],
  [inTrigger('PERFORM nothing FROM nowhere'), StoreMisconfigured, /\(42P01\); run the migrations, or mend the trigger/],
  [inTrigger('PERFORM lastval()'), StoreUnavailable, /\(55000\); plant-store does not know this error: look it up at/],
  [inTrigger('PERFORM 1 / 0'), PlantRefused, /division by zero \(22012\)$/],
])('%s: whose turn it is', async (change, Failure, message) => {
  const owner = await migratedDatabase();
  const url = await withRole(owner, 'SELECT, INSERT, UPDATE');
  await runSql(owner, change.replaceAll(' me ', ` ${new URL(url).username} `));
  const failure = await failureOf(openStore({ connectionString: url }).then(({ store }) => store.plants.add(fern)));
  expect(failure.message).toMatch(message);
  expect(failure.constructor).toBe(Failure);
});

test.each([
  [{ username: 'nobody' }, /\(28000\); check user/],
  [{ pathname: 'nowhere' }, /\(3D000\); create the database/],
  [{ search: 'sslmode=no-verify' }, /does not support SSL connections; turn ssl on there, or write sslmode=disable/],
])('a URL with %o ends the opening', async (part, message) => {
  const { href } = Object.assign(new URL(await migratedDatabase()), part);
  const failure = await failureOf(openStore({ connectionString: href }));
  expect(failure).toBeInstanceOf(StoreMisconfigured);
  expect(failure.message).toMatch(message);
});

test.each([
  'no such database: plants',
  'no such user: me',
  'SASL authentication failed',
  'unsupported startup parameter: options',
])('a pooler that refuses the client is a configuration error: %s', (message) => {
  const cause = Object.assign(new pg.DatabaseError(message, 9, 'error'), { code: '08P01' });
  expect(translate(cause)).toBeInstanceOf(StoreMisconfigured);
  expect(isTransient(cause)).toBe(false);
});

const failure = (code: string) => Object.assign(new Error('of a test'), { code });
const reported = (code: string, routine?: string) =>
  Object.assign(new pg.DatabaseError('of a test', 9, 'error'), { code, routine });

const unreachable = '; check that it runs and that host and port are right';
const credentials = '; check user, password and pg_hba.conf';
const privileges =
  '; grant the user SELECT, INSERT and UPDATE on the table plants, SELECT on plant_store_migration, and CREATE on their schema to migrate';

test.each([
  ['28P01', StoreMisconfigured, credentials],
  ['28000', StoreMisconfigured, credentials],
  ['3D000', StoreMisconfigured, '; create the database, or name another'],
  ['42501', StoreMisconfigured, privileges],
  ['ENOTFOUND', StoreMisconfigured, "; check the host's name"],
  ['57P03', StoreUnavailable, ''],
  ['53100', StoreUnavailable, '; free space on its disk'],
  [
    '53300',
    StoreUnavailable,
    "; raise max_connections or the role's CONNECTION LIMIT, or lower the pool size of its clients",
  ],
  ['25006', StoreUnavailable, '; it is a standby or was made read-only: connect to the primary'],
  ['ECONNREFUSED', StoreUnavailable, unreachable],
  ['ENOENT', StoreUnavailable, unreachable],
  ['ETIMEDOUT', StoreUnavailable, unreachable],
  ['EHOSTUNREACH', StoreUnavailable, unreachable],
  ['EAI_AGAIN', StoreUnavailable, ''],
])('%s is a %O', (code, Failure, hint) => {
  const cause = /^\d/.test(code) ? reported(code) : failure(code);
  expect(translate(cause)).toStrictEqual(new Failure(`PostgreSQL: of a test (${code})${hint}`, { cause }));
});

test('a password that the server asks for and the URL lacks is a configuration error', () => {
  const cause = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(translate(cause)).toStrictEqual(
    new StoreMisconfigured(`PostgreSQL: ${cause.message}; give a password in the URL`, { cause }),
  );
});

/** What follows from an error: its connection cannot be used again, it is worth a retry, or it is the plant's own fault. */
type Consequence = 'connection lost' | 'transient' | 'plant refused';
const retried: Consequence[] = ['connection lost', 'transient'];

test.each<[Error, ...Consequence[]]>([
  [failure('ECONNRESET'), ...retried],
  [failure('23505'), ...retried],
  [reported('08006'), ...retried],
  [reported('57P01'), ...retried],
  [reported('57P03'), ...retried],
  [reported('25006'), ...retried],
  [reported('40001'), 'transient'],
  [reported('40P01'), 'transient'],
  [reported('40001', 'exec_stmt_raise'), 'transient'],
  [reported('53300'), 'transient'],
  [reported('53100')],
  [reported('42P01')],
  [reported('28P01')],
  [reported('57014')],
  [reported('55P03')],
  [reported('0A000')],
  [reported('42501', 'aclcheck_error')],
  [reported('54000', 'GetNewTransactionId')],
  [reported('54000', 'GetNewMultiXactId')],
  [reported('54000', 'index_form_tuple_context'), 'plant refused'],
  [reported('22001'), 'plant refused'],
  [reported('23514', 'ExecConstraints'), 'plant refused'],
  [reported('P0001'), 'plant refused'],
  [reported('42501', 'ExecWithCheckOptions'), 'plant refused'],
  [reported('42501', 'exec_stmt_raise'), 'plant refused'],
  [reported('0A000', 'exec_stmt_raise'), 'plant refused'],
])('%o: %s %s', (error, ...expected) => {
  expect({
    'connection lost': isLost(error),
    transient: isTransient(translate(error)),
    'plant refused': isRefused(error),
  }).toEqual({
    'connection lost': expected.includes('connection lost'),
    transient: expected.includes('transient'),
    'plant refused': expected.includes('plant refused'),
  });
});

test.each([
  ["RAISE 'no ferns'", 'P0001', 'no ferns'],
  ["RAISE 'no ferns' USING ERRCODE = 'PT400'", 'PT400', 'no ferns'],
  ["RAISE 'no ferns' USING ERRCODE = '45000'", '45000', 'no ferns'],
  ["RAISE 'no ferns' USING ERRCODE = 'insufficient_privilege'", '42501', 'no ferns'],
])('a plant that a trigger rejects is not an outage, and fails alone: %s', async (body, code, message) => {
  const { store, url } = await openStore();
  await runSql(
    url,
    `CREATE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$;
     CREATE TRIGGER reject BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.name = 'Fern') EXECUTE FUNCTION reject()`,
  );
  const refusal = new PlantRefused(`PostgreSQL: ${message} (${code})`, { cause: expect.objectContaining({ code }) });
  await expect(store.plants.add(fern)).rejects.toStrictEqual(refusal);
  const [first, second, third] = [2n, 3n, 4n].map((id) => store.plants.add({ id, name: id === 3n ? 'Fern' : 'Moss' }));
  await expect(second).rejects.toStrictEqual(refusal);
  for (const added of [first, third]) expect(await added).toEqual({ outcome: 'added' });
});

test('a plant that a trigger passes over is refused, and no other', async () => {
  const { store, url } = await openStore();
  await runSql(
    url,
    `CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER ignore BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.name = 'Fern') EXECUTE FUNCTION ignore()`,
  );
  const [ignored, added] = [fern, { id: 2n, name: 'Moss' }].map((plant) => store.plants.add(plant));
  await expect(ignored).rejects.toStrictEqual(new PlantRefused('the table plants ignores the plant: see its triggers'));
  expect(await added).toEqual({ outcome: 'added' });
});

test.each([
  [
    'a deferred constraint',
    `CREATE FUNCTION check_later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.name = 'Fern' THEN RAISE 'no ferns' USING ERRCODE = 'check_violation'; END IF; RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER check_later AFTER INSERT ON plants DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION check_later()`,
  ],
  [
    'a missing right to PL/pgSQL',
    `ALTER TABLE plants ADD CHECK (name <> 'Fern'); REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC`,
  ],
])('where %s is in the way, a refused plant still fails alone', async (_, change) => {
  const { url } = await openStore();
  await runSql(url, change);
  const { store } = await openStore({ connectionString: await withRole(url, 'SELECT, INSERT, UPDATE') });
  const results = await Promise.allSettled(
    ['Moss', 'Fern', 'Ivy'].map((name, at) => store.plants.add({ id: BigInt(at), name })),
  );
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value.outcome : result.reason.name))).toEqual([
    'added',
    'PlantRefused',
    'added',
  ]);
});

test('a plant that a row-level security policy rejects is not an outage, and fails alone', async () => {
  const url = await migratedDatabase();
  await runSql(
    url,
    `ALTER TABLE plants ENABLE ROW LEVEL SECURITY;
     CREATE POLICY no_ferns ON plants USING (true) WITH CHECK (name <> 'Fern')`,
  );
  const { store } = await openStore({ connectionString: await withRole(url, 'SELECT, INSERT, UPDATE') });
  const results = await Promise.allSettled(
    [1n, 2n].map((id) => store.plants.add({ id, name: id === 1n ? 'Fern' : 'Moss' })),
  );
  expect(results).toMatchObject([
    { reason: { name: 'PlantRefused', cause: { code: '42501' } } },
    { value: { outcome: 'added' } },
  ]);
});

test('a role that may not create tables: migrating says so, and the status needs no more than to read', async () => {
  const empty = await freshDatabase();
  const migrating = await failureOf(migratePostgres({ connectionString: await withRole(empty) }));
  expect(migrating).toBeInstanceOf(StoreMisconfigured);
  expect(migrating.message).toMatch(/^PostgreSQL: permission denied for schema public \(42501\); grant .*, and CREATE/);

  const { url } = await openStore();
  const status = await failureOf(postgresMigrationStatus({ connectionString: await withRole(url) }));
  expect(status).toBeInstanceOf(StoreMisconfigured);
  expect(status.message).toContain('permission denied for table plant_store_migration (42501)');
});
