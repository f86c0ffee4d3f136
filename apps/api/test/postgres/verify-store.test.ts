import { freshDatabase, ownServer, runSql } from '@plant-store/testing-postgres';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { patiently } from '../started-outage.ts';
import { throughPooler } from './pooler.ts';

/** The clauses that depend on the place: two stores, a constraint, and a process that is killed. */
const checkingPlaces = (DATABASE_URL: string) =>
  startInProcess(['verify-store', '--only', 'PR-7,PR-16,PR-11'], { DATABASE_URL });

describe('plant-store verify-store on PostgreSQL', () => {
  const server = ownServer({ fsync: false });
  let given: string;
  beforeAll(async () => {
    given = await freshDatabase(server.url);
    await runSql(given, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
  });

  const databases = async () => {
    const rows = await runSql(given, "SELECT datname FROM pg_database WHERE datname LIKE 'plant_store_verify_%'");
    return rows.length;
  };
  const schemas = async () => {
    const rows = await runSql(given, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'");
    return rows.length;
  };
  const expectUntouched = async () => {
    expect([await databases(), await schemas()]).toEqual([0, 0]);
    expect(await runSql(given, 'SELECT * FROM plants')).toEqual([{ id: 7 }]);
  };
  /** Every superuser, and the owner of the database, may take on this role, which may not create databases. */
  const asOwner = () => `${given}?options=${encodeURIComponent('-c role=pg_database_owner')}`;
  const mayCreateSchemas = (change: string) =>
    runSql(given, `DO $$ BEGIN EXECUTE format('${change}', current_database()); END $$`);

  test('works in its own databases and leaves nothing behind', async () => {
    const run = checkingPlaces(given);
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([1, 0]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('3 passed, 0 not promised, 0 not checked, 0 failed');
    await expectUntouched();
  });

  test('works in its own schemas if the user may not create databases', async () => {
    await mayCreateSchemas('GRANT CREATE ON DATABASE %I TO pg_database_owner');
    onTestFinished(async () => void (await mayCreateSchemas('REVOKE CREATE ON DATABASE %I FROM pg_database_owner')));
    const run = checkingPlaces(asOwner());
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([0, 1]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('3 passed, 0 not promised, 0 not checked, 0 failed');
    await expectUntouched();
  });

  test('says what it needs if the user may create neither', async () => {
    expect(await runToEnd(['verify-store'], { DATABASE_URL: asOwner() })).toEqual({
      code: 2,
      output: expect.stringMatching(/^plant-store: .*CREATEDB.*GRANT CREATE ON DATABASE.*\n$/),
    });
    await expectUntouched();
  });

  test.each([
    ['rejects', 'no_such_setting_=', 'is refused'],
    ['drops', 'application_name=', 'has no effect there'],
  ])('does not touch the given schema if a pooler %s startup options', async (_, instead, says) => {
    await mayCreateSchemas('GRANT CREATE ON DATABASE %I TO pg_database_owner');
    onTestFinished(async () => void (await mayCreateSchemas('REVOKE CREATE ON DATABASE %I FROM pg_database_owner')));
    const DATABASE_URL = await throughPooler(asOwner(), instead);
    const { code, output } = await runToEnd(['verify-store'], { DATABASE_URL });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining(says) });
    expect(output).toMatch(/^plant-store: .*give the URL of the server itself.*\n$/);
    await expectUntouched();
  });

  test('leaves nothing behind when Ctrl-C ends it', async () => {
    const run = startInProcess(['verify-store', '--only', 'PR-12'], { DATABASE_URL: given });
    await expect.poll(databases, patiently).toBe(1);
    run.kill('SIGINT');
    expect(await run.ended).toBe(130);
    await expectUntouched();
  });
});
