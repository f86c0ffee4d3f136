import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { onLogin } from './open-store.ts';

/** Uses the role of the database's owner, which a superuser may also set. */
const asOwner = (url: string) => `${url}?options=${encodeURIComponent('-c role=pg_database_owner')}`;

test('a scratch schema needs a privilege, which the message names, and a server that accepts startup options', async () => {
  const given = await freshDatabase();
  await expect(storeHarness(asOwner(given)).prepare()).rejects.toThrow(/GRANT CREATE ON DATABASE/);
  const name = new URL(given).pathname.slice(1);
  await runSql(given, `GRANT CREATE ON DATABASE ${name} TO pg_database_owner; ${onLogin('public')}`);
  const preparing = storeHarness(asOwner(given)).prepare();
  await expect(preparing).rejects.toThrow(/has no effect there.*give the URL of the server itself/);
  expect(await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'")).toEqual([]);
});
