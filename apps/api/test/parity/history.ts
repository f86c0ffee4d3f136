import { fixedIds } from '@plant-store/contracts-http';
import { hardTexts, lookalikes } from '@plant-store/contracts-kit';
import {
  isSamePlant,
  isStorableText,
  type NewPlant,
  type Plant,
  type PlantStore,
  textFields,
} from '@plant-store/domain';
import { checkHistory, type RecordedCall } from '@plant-store/testing-servers';
import fc from 'fast-check';
import { expect } from 'vitest';

/** Groups of plants: those of a group are added at once, the next group when all of them have results. */
export type Sequence = readonly (readonly NewPlant[])[];

/** Few, so that plants meet; each where an int32, a double or an int64 ends, and its neighbour. */
const ids = [...fixedIds, 1n, -1n, 2n ** 31n];

/** What fast-check's own unit `binary` generates, but that builds a table of all of Unicode: half a second of CPU. */
const unit = fc
  .oneof(fc.integer({ min: 1, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Many of them are taken for one another by a store that trims, folds, normalizes or escapes. */
const texts = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constantFrom('', ...lookalikes.flat()) },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit, maxLength: 40 })).filter(isStorableText),
  },
  { weight: 1, arbitrary: fc.constantFrom(...hardTexts, 'x'.repeat(5_000)) },
);

const plants: fc.Arbitrary<NewPlant> = fc.record(
  {
    id: fc.constantFrom(...ids),
    ...(Object.fromEntries(textFields.map((field) => [field, texts])) as Record<keyof Plant, typeof texts>),
  },
  { requiredKeys: ['id', 'name'] },
);

/** Single plants, several plants, and several plants with one id. The smallest group that shrinking reaches is empty. */
const groups: fc.Arbitrary<readonly NewPlant[]> = fc.oneof(
  fc.array(plants, { maxLength: 1 }),
  fc.array(plants, { maxLength: 8 }),
  fc
    .tuple(fc.constantFrom(...ids), fc.array(plants, { maxLength: 8 }))
    .map(([id, rivals]) => rivals.map((rival) => ({ ...rival, id }))),
);

export const sequences: fc.Arbitrary<Sequence> = fc.array(groups, { maxLength: 12 });

/** Runs a sequence on an empty store. What is wrong with the answers and with what is stored in the end, one line each. */
export async function faultsOf(sequence: Sequence, { plants }: PlantStore): Promise<readonly string[]> {
  const history: RecordedCall<bigint, Plant>[] = [];
  let clock = 0;
  async function add({ id, ...plant }: NewPlant): Promise<void> {
    const called = clock++;
    const result = await plants.add({ id, ...plant });
    const answer = result.outcome === 'added' ? 'added' : { exists: result.plant };
    history.push({ key: id, value: plant, called, answered: clock++, answer });
  }
  for (const group of sequence) await Promise.all(group.map(add));

  const rows = new Map<bigint, Plant>();
  for (const id of ids) {
    // Another plant under an id shows what is stored there.
    const result = await plants.add({ id, name: 'asks what is stored' });
    if (result.outcome === 'exists') rows.set(id, result.plant);
  }
  return checkHistory(history, rows, isSamePlant);
}

/** A failure repeats with it. */
export const seed = Number(process.env['PARITY_SEED'] ?? Date.now() % 2 ** 31);

/** Fails with the shortest sequence of adds after which the history of a store contradicts that the first of an id wins. */
export async function expectFirstWins(emptyStore: () => Promise<PlantStore>): Promise<void> {
  const property = fc.asyncProperty(sequences, async (sequence) => {
    expect(await faultsOf(sequence, await emptyStore())).toEqual([]);
  });
  const runs = process.env['TEST_EXHAUSTIVE'] === '1' ? 300 : 100;
  await fc.assert(property, { seed, numRuns: Number(process.env['PARITY_RUNS'] ?? runs) });
}
