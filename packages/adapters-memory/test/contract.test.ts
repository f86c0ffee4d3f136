import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { memoryHarness } from '@plant-store/adapters-memory/harness';
import { runClause } from '@plant-store/contracts-kit';
import { plantExportContract, plantRepositoryContract } from '@plant-store/contracts-stores';
import { describe, expect, test } from 'vitest';

const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };

describe('PlantRepository contract', () => {
  test.for(plantRepositoryContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, memoryHarness, tools);
    if (result.verdict === 'not-promised') skip('not promised');
    if (result.verdict === 'not-checked' && clause.id === 'PR-16') skip(`not checked: ${result.message}`);
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
  });
});

describe('PlantExport contract', () => {
  test.for(plantExportContract.clauses)('$id $title', async (clause, { skip }) => {
    const result = await runClause(clause, memoryHarness, tools);
    if (result.verdict === 'not-promised') skip('not promised');
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
  });
});
