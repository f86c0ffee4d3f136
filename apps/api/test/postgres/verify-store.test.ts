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

  /** A database that lacks characters. */
  const latinDatabase = async () => {
    await runSql(server.url, 'DROP DATABASE IF EXISTS latin WITH (FORCE)');
    await runSql(server.url, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
    return Object.assign(new URL(server.url), { pathname: 'latin' }).href;
  };

  test('works in its own schemas and leaves nothing behind', async () => {
    const run = checkingPlaces(given);
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([0, 1]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('3 passed, 0 not promised, 0 not checked, 0 failed');
    await expectUntouched();
  });

  test('works in its own databases, of the same encoding, if the user may not create schemas', async () => {
    await runSql(given, 'CREATE ROLE creator LOGIN CREATEDB');
    // Not by a setting: whoever may end the sessions of a superuser is one.
    const asCreator = (url: string) => Object.assign(new URL(url), { username: 'creator' }).href;
    const run = checkingPlaces(asCreator(given));
    await expect.poll(async () => [await databases(), await schemas()], patiently).toEqual([1, 0]);
    expect(await run.ended).toBe(0);
    expect(run.output()).toContain('3 passed, 0 not promised, 0 not checked, 0 failed');
    await expectUntouched();

    const latin = await latinDatabase();
    const onLatin = checkingPlaces(asCreator(latin));
    expect(await onLatin.ended).toBe(2);
    expect(onLatin.output()).toMatch(/cannot prepare a place .* has the encoding LATIN1/);
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
    await expect.poll(schemas, patiently).toBe(1);
    run.kill('SIGINT');
    expect(await run.ended).toBe(130);
    await expectUntouched();
  });

  test('fails where the place at the URL cannot keep plants', async () => {
    const foreign = await runToEnd(['verify-store', '--only', 'PLACE'], { DATABASE_URL: given });
    expect(foreign).toEqual({
      code: 1,
      output: expect.stringMatching(/^✗ PLACE .*\n.*\n* .*public.plants cannot keep plants: /),
    });
    await expectUntouched();

    const latin = await latinDatabase();
    await runSql(latin, 'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)');
    const { code, output } = await runToEnd(['verify-store'], { DATABASE_URL: latin });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringContaining('has the encoding LATIN1') });
  });

  test('passes where the place keeps plants, and says so where it is not migrated', async () => {
    const DATABASE_URL = await freshDatabase(server.url);
    const before = await runToEnd(['verify-store', '--only', 'PLACE'], { DATABASE_URL });
    expect(before).toEqual({ code: 0, output: expect.stringMatching(/^\? PLACE .*not checked: .*not migrated/) });
    await runToEnd(['migrate', 'up'], { DATABASE_URL });
    const after = await runToEnd(['verify-store', '--only', 'PLACE'], { DATABASE_URL });
    expect(after).toEqual({ code: 0, output: expect.stringMatching(/^✓ PLACE /) });
    expect(await runSql(DATABASE_URL, 'SELECT * FROM plants')).toEqual([]);
  });
});
