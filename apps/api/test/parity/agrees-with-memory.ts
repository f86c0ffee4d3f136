import { openMemory } from '@plant-store/adapters-memory';
import type { PlantStore } from '@plant-store/domain';
import fc from 'fast-check';
import { expect } from 'vitest';
import { historyOf, sequences } from './history.ts';

/** A store that can be emptied, so that every sequence begins with nothing. */
export interface EmptiableStore extends PlantStore {
  empty(): Promise<void>;
}

/** Fails with the shortest sequence of adds that a store answers otherwise than memory does. What all stores share with memory, they share with one another. */
export async function expectAgreesWithMemory(name: string, store: EmptiableStore): Promise<void> {
  const agree = fc.asyncProperty(sequences, async (sequence) => {
    const inMemory = await historyOf(sequence, openMemory());
    await store.empty();
    expect({ [name]: await historyOf(sequence, store) }).toEqual({ [name]: inMemory });
  });
  await fc.assert(agree, { numRuns: 300 });
}
