import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { freshDatabase, runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';

/** Uses the role of the database's owner, which a superuser may also set. */
const asOwner = (url: string) => `${url}?options=${encodeURIComponent('-c role=pg_database_owner')}`;

test('a scratch schema needs a privilege, which the message names', async () => {
  const given = await freshDatabase();
  await expect(storeHarness(asOwner(given)).prepare()).rejects.toThrow(/GRANT CREATE ON DATABASE/);
  expect(await runSql(given, "SELECT FROM pg_namespace WHERE nspname LIKE 'plant_store_verify_%'")).toEqual([]);
});
