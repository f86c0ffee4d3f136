import { setTimeout as sleep } from 'node:timers/promises';
import { plantRepositoryContract, runClause } from '@plant-store/domain/contract';
import { describe, expect, test } from 'vitest';
import { sqliteUnderTest } from './sqlite-under-test.ts';

describe('PlantRepository contract', () => {
  test.each(plantRepositoryContract.clauses)('$id $title', { timeout: 60_000 }, async (clause) => {
    const result = await runClause(clause, sqliteUnderTest, { sleep: (ms) => sleep(ms, undefined, { ref: false }) });
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'kept' });
  });
});
