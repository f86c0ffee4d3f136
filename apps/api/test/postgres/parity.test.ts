import { migratePostgres, openPostgres } from '@plant-store/adapters-postgres';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import { test } from 'vitest';
import { type EmptiableStore, expectAgreesWithMemory } from '../parity/agrees-with-memory.ts';

test('PostgreSQL answers a sequence of adds as memory does, and holds the same plants afterwards', {
  timeout: 120_000,
}, async () => {
  const store = await emptiablePostgres(await freshDatabase());
  try {
    await expectAgreesWithMemory('PostgreSQL', store);
  } finally {
    await store.close();
  }
});

async function emptiablePostgres(connectionString: string): Promise<EmptiableStore> {
  await migratePostgres({ connectionString });
  return {
    ...(await openPostgres({ connectionString })),
    empty: async () => void (await runSql(connectionString, 'DELETE FROM plants')),
  };
}
