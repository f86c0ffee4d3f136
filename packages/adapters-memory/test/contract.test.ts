import { setTimeout as sleep } from 'node:timers/promises';
import { openMemory } from '@plant-store/adapters-memory';
import { plantRepositoryContract, runClause, type StoreUnderTest } from '@plant-store/domain/contract';
import { describe, expect, test } from 'vitest';
import { memoryPromises } from '../src/promises.ts';

const memory: StoreUnderTest = {
  promises: memoryPromises,
  prepare: async () => ({ open: async () => openMemory(), dispose: async () => {} }),
};

describe('PlantRepository contract', () => {
  test.each(plantRepositoryContract.clauses)('$id $title', async (clause) => {
    const result = await runClause(clause, memory, { sleep: (ms) => sleep(ms, undefined, { ref: false }) });
    expect(result).not.toHaveProperty('message');
  });
});
