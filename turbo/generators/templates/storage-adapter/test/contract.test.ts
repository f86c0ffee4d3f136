import { setTimeout as sleep } from 'node:timers/promises';
import { plantRepositoryContract, runClause } from '@plant-store/domain/contract';
import { describe, expect, test } from 'vitest';
import { newEngineUnderTest } from './new-engine-under-test.ts';

describe('PlantRepository contract', () => {
  // A clause ends within 60 s by itself, and then says more than a time-out of the test would.
  test.each(plantRepositoryContract.clauses)('$id $title', { timeout: 70_000 }, async (clause) => {
    const result = await runClause(clause, newEngineUnderTest, { sleep: (ms) => sleep(ms, undefined, { ref: false }) });
    if (result.verdict === 'broken')
      expect.fail(`${result.message}\n\n${clause.id} in docs/write-a-storage-adapter.md says how`);
  });
});
