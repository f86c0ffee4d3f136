import { setTimeout as sleep } from 'node:timers/promises';
import { memoryUnderTest } from '@plant-store/adapters-memory/under-test';
import { plantExportContract, runClause } from '@plant-store/domain/contract';
import { describe, expect, test } from 'vitest';

const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }) };

describe('PlantExport contract', () => {
  test.for(plantExportContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, memoryUnderTest, tools);
    if (result.verdict === 'not-promised') skip('not promised');
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'kept' });
  });
});
