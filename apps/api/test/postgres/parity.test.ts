import { migratePostgres, openPostgres } from '@plant-store/adapters-postgres';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { test } from 'vitest';
import { expectAgreesWithMemory } from '../parity/agrees-with-memory.ts';

test('PostgreSQL gives the same results as memory for a sequence of adds, and stores the same plants', async () => {
  const connectionString = await freshDatabase();
  await migratePostgres({ connectionString });
  const store = await openPostgres({ connectionString });
  try {
    await expectAgreesWithMemory('PostgreSQL', async () => {
      await runSql(connectionString, 'DELETE FROM plants');
      return store;
    });
  } finally {
    await store.close();
  }
});
