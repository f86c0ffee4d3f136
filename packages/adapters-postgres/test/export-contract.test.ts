import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { postgresExport } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { runClause } from '@plant-store/contracts-kit';
import { plantExportContract } from '@plant-store/contracts-stores';
import { freshDatabase } from '@plant-store/testing-postgres';
import { describe, expect, test } from 'vitest';
import { backends } from './backends.ts';
import { openStore } from './open-store.ts';

const shared = await freshDatabase();
const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };

describe('PlantExport contract', () => {
  test.for(plantExportContract.clauses)('$id $title', async (clause) => {
    const result = await runClause(clause, postgresHarness(shared), tools);
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
  });
});

test('a reader that stops early leaves no connection on the server', async () => {
  const { store, url } = await openStore();
  await store.plants.add({ id: 1n, name: 'Fern' });
  const others = await backends(url);
  for await (const { id } of postgresExport({ connectionString: url }).readAll()) {
    expect(id).toBe(1n);
    expect(await backends(url, ...others)).toHaveLength(1);
    break;
  }
  await expect.poll(() => backends(url, ...others)).toEqual([]);
});
