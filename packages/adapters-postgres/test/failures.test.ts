import { inspect } from 'node:util';
import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing/postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isTooManyConnections, postgresErrors } from '../src/errors.ts';
import { migratedDatabase, openStore, trigger, withRole } from './open-store.ts';

const { mayBeCausedByTable, isConnectionLost, isRefused, isTransient, translate } = postgresErrors;

const fern = { id: 1n, name: 'Fern' };
const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

test('a message says what to do; neither it nor its cause holds the password', async () => {
  const { store } = await openStore({ connectionString: 'postgres://me:s3cret@127.0.0.1:1/plants' });
  const error = await failureOf(store.plants.add(fern));
  expect(error).toMatchObject({
    message:
      'PostgreSQL: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED); check that it runs and that host and port are right',
    cause: expect.any(Error),
  });
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('s3cret');
});

/** The server itself reports each of these. */
test.each([
  ['ALTER ROLE me NOLOGIN', StoreMisconfigured, /\(28000\); check user, password and pg_hba.conf/],
  ['ALTER ROLE me CONNECTION LIMIT 0', StoreUnavailable, /\(53300\); raise max_connections or the role's/],
  ['ALTER ROLE me SET default_transaction_read_only = on', StoreUnavailable, /\(25006\); .*connect to the primary/],
  [
    `ALTER ROLE me SET statement_timeout = 1; ${trigger('PERFORM pg_sleep(9)')}`,
    StoreUnavailable,
    /\(57014\); the user/,
  ],
  ['REVOKE UPDATE ON plants FROM me', StoreMisconfigured, /\(42501\); grant the user SELECT, INSERT and UPDATE/],
  ['DROP TABLE plants', StoreUnavailable, /the database is not migrated, or the table was dropped/],
  [trigger('PERFORM x FROM missing_table'), StoreMisconfigured, /\(42P01\); run the migrations, or fix the trigger/],
  [trigger('PERFORM lastval()'), StoreUnavailable, /\(55000\); unknown error: see/],
])('%s: the message says what to do', async (change, Failure, message) => {
  const owner = await migratedDatabase();
  const connectionString = await withRole(owner, 'SELECT, INSERT, UPDATE');
  await runSql(owner, `INSERT INTO plants VALUES (1, 'Moss')`);
  await runSql(owner, change.replaceAll(' me', ` ${new URL(connectionString).username}`));
  const add = async () => {
    const { store } = await openStore({ connectionString });
    return Promise.all([2n, 1n].map((id) => store.plants.add({ ...fern, id })));
  };
  const failure = await failureOf(add());
  expect(failure).toHaveProperty('message', expect.stringMatching(message));
  expect((failure as Error).constructor).toBe(Failure);
  expect(isTooManyConnections((failure as Error).cause)).toBe(change.includes('CONNECTION LIMIT'));
});

const databaseError = (code: string, routine?: string, message = 'of a test') =>
  Object.assign(new pg.DatabaseError(message, 9, 'error'), { code, routine });

/** A question mark says that the table may be the cause. */
test.each<[error: Error, meaning: string, hint?: string]>([
  [new Error('SASL: SCRAM: client password must be a string'), 'misconfigured', 'give a password in the URL'],
  [new Error('The server does not support SSL connections'), 'misconfigured', 'write sslmode=disable'],
  [Object.assign(new Error('of a test'), { code: 'ECONNRESET' }), 'lost'],
  [Object.assign(new Error('not of the server'), { code: '23505' }), 'lost'],
  [databaseError('08006'), 'lost'],
  [databaseError('25006'), 'lost', 'connect to the primary'],
  [databaseError('08P01', undefined, 'no such database: plants'), 'misconfigured', 'auth_file'],
  [databaseError('26000'), 'misconfigured', 'add prepare=false to the URL'],
  [databaseError('57P01'), 'lost'],
  [databaseError('40001'), 'transient'],
  [databaseError('40001', 'exec_stmt_raise'), 'transient'],
  [databaseError('54000', 'GetNewMultiXactId'), 'unavailable', 'vacuum its databases'],
  [databaseError('54000', 'index_form_tuple_context'), 'refused'],
  [databaseError('22001'), 'refused?'],
  [databaseError('23514', 'ExecConstraints'), 'refused'],
  [databaseError('42501', 'ExecWithCheckOptions'), 'refused'],
  [databaseError('0A000', 'exec_stmt_raise'), 'refused'],
])('%o is %s', (error, meaning, hint = '') => {
  const translated = translate(error);
  const classes = { refused: PlantRefused, misconfigured: StoreMisconfigured, unavailable: StoreUnavailable };
  const kind = isRefused(error)
    ? 'refused'
    : translated instanceof StoreMisconfigured
      ? 'misconfigured'
      : 'unavailable';
  expect(translated).toBeInstanceOf(classes[kind]);
  expect(String(translated)).toContain(hint);
  const found = isConnectionLost(error) ? 'lost' : isTransient(translated) ? 'transient' : kind;
  expect(`${found}${mayBeCausedByTable(error) ? '?' : ''}`).toBe(meaning);
});

const noFerns = (statement: string) => trigger(`IF NEW.name = 'Fern' THEN ${statement}; END IF`);

test.each([
  ['an error of the server that a trigger raises', noFerns("RAISE 'no ferns' USING ERRCODE = '42501'"), /\(42501\)$/],
  ['a trigger that ignores it', noFerns('RETURN NULL'), /^a trigger of the table plants ignores the plant/],
  [
    'a deferred constraint',
    `ALTER TABLE plants ADD UNIQUE (name) DEFERRABLE INITIALLY DEFERRED; INSERT INTO plants VALUES (9, 'Fern')`,
    /\(23505\)$/,
  ],
  [
    'a constraint, without the privilege to use PL/pgSQL',
    `ALTER TABLE plants ADD CHECK (name <> 'Fern'); REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC`,
    /\(23514\)$/,
  ],
])('a plant rejected by %s is refused alone', async (_, change, message) => {
  const owner = await migratedDatabase();
  await runSql(owner, change);
  const { store } = await openStore({ connectionString: await withRole(owner, 'SELECT, INSERT, UPDATE') });
  const adding = ['Moss', 'Fern', 'Ivy'].map((name, at) => store.plants.add({ id: BigInt(at), name }));
  const added = { status: 'fulfilled', value: { outcome: 'added' } };
  const refused = { reason: { name: 'PlantRefused', message: expect.stringMatching(message) } };
  expect(await Promise.allSettled(adding)).toMatchObject([added, refused, added]);
});
