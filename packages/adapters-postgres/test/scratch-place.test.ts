import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { onLogin } from './open-store.ts';

/** Every superuser, and the owner of the database, may take on this role. */
const asOwner = (url: string) => `${url}?options=${encodeURIComponent('-c role=pg_database_owner')}`;

test('a scratch place needs a right, and says which; it is not the given schema if a pooler drops startup options', async () => {
  const given = await freshDatabase();
  await expect(storeHarness(asOwner(given)).prepare()).rejects.toThrow(/GRANT CREATE ON DATABASE/);
  const name = new URL(given).pathname.slice(1);
  await runSql(given, `GRANT CREATE ON DATABASE ${name} TO pg_database_owner; ${onLogin('public')}`);
  const preparing = storeHarness(asOwner(given)).prepare();
  await expect(preparing).rejects.toThrow(/has no effect there.*give the URL of the server itself/);
  expect(await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'")).toEqual([]);
});
