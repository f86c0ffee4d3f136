import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, ownServer, runSql } from '@plant-store/testing-postgres';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { throughPooler } from './pooler.ts';

describe('a scratch place beside an operator’s plants', () => {
  const server = ownServer({ fsync: false });
  let given: string;
  beforeAll(async () => {
    given = await freshDatabase(server.url);
    await runSql(given, 'CREATE TABLE plants (id int); INSERT INTO plants VALUES (7)');
    await runSql(given, 'CREATE ROLE creator LOGIN CREATEDB');
  });

  const scratch = async () => {
    const databases = await runSql(given, "SELECT FROM pg_database WHERE datname LIKE 'plant_store_verify_%'");
    const schemas = await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'");
    return { databases: databases.length, schemas: schemas.length };
  };
  const expectUntouched = async () => {
    expect(await scratch()).toEqual({ databases: 0, schemas: 0 });
    expect(await runSql(given, 'SELECT * FROM plants')).toEqual([{ id: 7 }]);
  };
  /** May not create schemas. Not by a setting: whoever may end the sessions of a superuser is one. */
  const asCreator = (url: string) => Object.assign(new URL(url), { username: 'creator' }).href;
  /** Every superuser, and the owner of the database, may take on this role, which may not create databases. */
  const asOwner = () => `${given}?options=${encodeURIComponent('-c role=pg_database_owner')}`;
  const mayCreateSchemas = (change: string) =>
    runSql(given, `DO $$ BEGIN EXECUTE format('${change}', current_database()); END $$`);

  test.each([
    ['a schema', (url: string) => url, { databases: 0, schemas: 1 }],
    ['a database, if the user may not create schemas', asCreator, { databases: 1, schemas: 0 }],
  ])('is %s, and nothing is left of it', async (_, as, during) => {
    const place = await storeHarness(as(given)).prepare();
    expect(await scratch()).toEqual(during);
    const store = await place.open();
    expect(await store.plants.add({ id: 7n, name: 'Fern' })).toEqual({ outcome: 'added' });
    await store.close();
    await place.dispose();
    await expectUntouched();
  });

  test('is a database of the same encoding', async () => {
    await runSql(server.url, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
    const latin = asCreator(Object.assign(new URL(server.url), { pathname: 'latin' }).href);
    await expect(storeHarness(latin).prepare()).rejects.toThrow('has the encoding LATIN1');
    await expectUntouched();
  });

  test('needs a right, and says which', async () => {
    await expect(storeHarness(asOwner()).prepare()).rejects.toThrow(/CREATEDB.*GRANT CREATE ON DATABASE/);
    await expectUntouched();
  });

  test.each([
    ['rejects', 'no_such_setting_=', 'is refused'],
    ['drops', 'application_name=', 'has no effect there'],
  ])('is not the given schema if a pooler %s startup options', async (_, instead, says) => {
    await mayCreateSchemas('GRANT CREATE ON DATABASE %I TO pg_database_owner');
    onTestFinished(async () => void (await mayCreateSchemas('REVOKE CREATE ON DATABASE %I FROM pg_database_owner')));
    const preparing = storeHarness(await throughPooler(asOwner(), instead)).prepare();
    await expect(preparing).rejects.toThrow(new RegExp(`${says}.*give the URL of the server itself`));
    await expectUntouched();
  });
});
