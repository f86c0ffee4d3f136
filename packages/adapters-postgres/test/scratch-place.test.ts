import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, ownServer, runSql } from '@plant-store/testing/postgres';
import { beforeAll, expect, test } from 'vitest';
import { onLogin } from './open-store.ts';

// Beside an operator's plants.
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

test.each([
  ['a schema', (url: string) => url, { databases: 0, schemas: 1 }],
  ['a database, if the user may not create schemas', asCreator, { databases: 1, schemas: 0 }],
])('a scratch place is %s, and nothing is left of it', async (_, as, during) => {
  const place = await storeHarness(as(given)).prepare();
  expect(await scratch()).toEqual(during);
  const store = await place.open();
  expect(await store.plants.add({ id: 7n, name: 'Fern' })).toEqual({ outcome: 'added' });
  await store.close();
  await place.dispose();
  await expectUntouched();
});

test('a scratch place needs a right, and says which', async () => {
  await expect(storeHarness(asOwner()).prepare()).rejects.toThrow(/CREATEDB.*GRANT CREATE ON DATABASE/);
  await expectUntouched();
});

test('a scratch place is not the given schema if a pooler drops startup options', async () => {
  const name = new URL(given).pathname.slice(1);
  await runSql(given, `GRANT CREATE ON DATABASE ${name} TO pg_database_owner; ${onLogin('public')}`);
  await expect(storeHarness(asOwner()).prepare()).rejects.toThrow(
    /has no effect there.*give the URL of the server itself/,
  );
  await expectUntouched();
});
