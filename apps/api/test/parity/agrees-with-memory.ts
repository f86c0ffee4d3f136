import { openMemory } from '@plant-store/adapters-memory';
import type { PlantStore } from '@plant-store/domain';
import fc from 'fast-check';
import { expect } from 'vitest';
import { historyOf, sequences } from './history.ts';

/**
 * Fails with the shortest sequence of adds whose results in a store differ from those in memory. What all stores share with
 * memory, they share with one another.
 *
 * @param emptyStore resolves with the store, and nothing in it.
 */
export async function expectAgreesWithMemory(name: string, emptyStore: () => Promise<PlantStore>): Promise<void> {
  const agree = fc.asyncProperty(sequences, async (sequence) => {
    const inMemory = await historyOf(sequence, openMemory());
    expect({ [name]: await historyOf(sequence, await emptyStore()) }).toEqual({ [name]: inMemory });
  });
  await fc.assert(agree, { numRuns: process.env['TEST_EXHAUSTIVE'] === '1' ? 300 : 100 });
}
