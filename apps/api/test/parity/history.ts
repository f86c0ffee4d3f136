import {
  type AddResult,
  INT64_MAX,
  INT64_MIN,
  isSamePlant,
  isStorableText,
  type NewPlant,
  type Plant,
  type PlantStore,
  textFields,
} from '@plant-store/domain';
import fc from 'fast-check';

/** Groups of plants: those of a group are added at once, the next group when all of them have results. */
export type Sequence = readonly (readonly NewPlant[])[];

/** Few, so that plants meet; each where an int32, a double or an int64 ends, and its neighbour. */
const ids = [0n, 1n, -1n, 2n ** 31n, 2n ** 53n, 2n ** 53n + 1n, INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX];

/** What fast-check's own unit `binary` generates, but that builds a table of all of Unicode: half a second of CPU. */
const unit = fc
  .oneof(fc.integer({ min: 1, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Many of them are taken for one another by a store that trims, folds, normalizes or escapes. */
const texts = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constantFrom('', 'a', 'A', ' a', 'a ', 'é', 'e\u0301', "'", '\\', '\n', '🌱', '\ufeff') },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit, maxLength: 40 })).filter(isStorableText),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a\u200b', '\u2028', '%s $1', '\uffff', '{"a":1}', 'NULL', 'x'.repeat(5_000)),
  },
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

/** The results for every id, group by group, and what is stored in the end. */
export type History = readonly Readonly<Record<string, readonly string[]>>[];

/**
 * Runs a sequence and describes the results in words that are the same for every store that satisfies the port's
 * contract. In a group that races for an id, any plant may win: so the results are sorted, and the winner is called
 * 'the winner', now and later, instead of by its name.
 */
export async function historyOf(sequence: Sequence, { plants }: PlantStore): Promise<History> {
  const winners = new Map<bigint, Plant>();
  const history: Record<string, string[]>[] = [];

  async function addAtOnce(group: readonly NewPlant[]): Promise<void> {
    const results = await Promise.all(group.map(async (plant) => ({ plant, result: await resultOf(plant) })));
    const entry: Record<string, string[]> = {};
    for (const [id, rivals] of Map.groupBy(results, ({ plant }) => plant.id)) {
      const added = rivals.find(({ result }) => !(result instanceof Error) && result.outcome === 'added');
      const [first] = rivals;
      if (added && first && rivals.some(({ plant }) => !isSamePlant(plant, first.plant))) winners.set(id, added.plant);
      entry[String(id)] = rivals.map(({ result }) => inWords(id, result)).toSorted();
    }
    history.push(entry);
  }

  const resultOf = (plant: NewPlant): Promise<AddResult | Error> =>
    plants.add({ ...plant }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));

  function inWords(id: bigint, result: AddResult | Error): string {
    if (result instanceof Error) return `threw ${result}`;
    if (result.outcome === 'added') return 'added';
    const winner = winners.get(id);
    return winner && isSamePlant(result.plant, winner) ? 'the winner' : JSON.stringify(result.plant);
  }

  for (const group of sequence) await addAtOnce(group);
  // Another plant under an id shows what is stored there.
  await addAtOnce(ids.map((id) => ({ id, name: 'asks what is stored' })));
  return history;
}
