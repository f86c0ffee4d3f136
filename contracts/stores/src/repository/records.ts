import { deflateSync } from 'node:zlib';
import { type Clause, ContractViolation, type Sentence, show, unlessUnavailable } from '@plant-store/contracts-kit';
import {
  type AddResult,
  isSamePlant,
  type NewPlant,
  optionalTextFields,
  type Plant,
  type PlantStore,
  pickPlant,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import { addNew, addPlant, expectExists, expectStored, inChunks, probeFor } from '../expectations.ts';
import { withStore } from '../fixture.ts';
import { ADDED, type StoreMutation } from '../model/model-store.ts';
import {
  plainPlants,
  plantsWithAbsentAndEmptyTexts,
  plantsWithHardIds,
  plantsWithHardTexts,
  plantWith,
  plantWithId,
  without,
} from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What a store keeps, and what add returns: PR-1 to PR-5, and PR-8. */
export const recordClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-1',
    shows: 'P2',
    title: 'an id is stored exactly, over the whole int64 range',
    check: storedExactly(plantsWithHardIds),
    mutants: {
      'stores 15 significant digits of the id': storing((plant) => ({
        ...plant,
        id: BigInt(Number(Number(plant.id).toPrecision(15))),
      })),
      'looks up the plants of taken ids together, in JSON with ids as numbers': ({ commit, exists }) => {
        let together = false;
        return {
          commit(batch) {
            together = batch.length > 1;
            return commit(batch);
          },
          exists: (asked) => exists(together ? { ...asked, id: BigInt(Number(asked.id)) } : asked),
        };
      },
    },
  },
  {
    id: 'PR-2',
    shows: 'P2',
    title: 'texts are stored exactly',
    check: storedExactly(plantsWithHardTexts),
    mutants: {
      'decodes UTF-8 in chunks of 256 KiB, one by one': changing((text) => {
        const chunks =
          Buffer.from(text)
            .toString('latin1')
            .match(/.{0,262144}/gs) ?? [];
        return chunks.map((chunk) => Buffer.from(chunk, 'latin1').toString()).join('');
      }),
      'stores three bytes of UTF-8 per character, as utf8mb3 does': changing((text) =>
        text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
      ),
      'interns texts, under a collation for which accents do not count': (correct, store) => {
        const texts: Record<string, string> = Object.create(null);
        const toKey = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');
        return changing((text) => (texts[toKey(text)] ??= text))(correct, store);
      },
      'truncates the optional texts at 512 KiB, and no name': changing(
        (text) => Buffer.from(text).toString('utf8', 0, 2 ** 19),
        optionalTextFields,
      ),
      'has an index on the name, which rejects long ones unless they can be compressed': storing((plant) => {
        if (deflateSync(plant.name).length > 2_704) throw new Error('index row size exceeds btree maximum 2704');
        return plant;
      }),
    },
  },
  {
    id: 'PR-3',
    shows: 'P2',
    title: 'an absent text and an empty text stay different',
    check: storedExactly(() => plantsWithAbsentAndEmptyTexts(1n)),
    mutants: {
      'stores an absent text as an empty one': storingTexts((text) => text ?? '', optionalTextFields),
      'stores an empty text as an absent one': storingTexts((text) => text || undefined, optionalTextFields),
      'returns an absent text as a property that is undefined': ({ toPlant }) => ({
        toPlant: (...rows) => ({ ...undefinedTexts, ...toPlant(...rows) }),
      }),
    },
  },
  {
    id: 'PR-4',
    shows: 'P3/F6',
    title: '`added` is returned if, and only if, this very call stored the plant',
    check: withStore(async (store) => {
      const plant = plantWithId(1n);
      const twin = { ...plant, id: 2n };
      const first = `added ${show(plant)} to an empty store`;
      expectAdded(await addPlant(store, plant, first), first);
      const again = `added ${show(plant)} twice`;
      expectExists(await addPlant(store, plant, again), plant, again);
      const asTwin = `added ${show(plant)}, then the same under another id`;
      expectAdded(await addPlant(store, twin, asTwin), asTwin);
      await expectStored(store, twin, asTwin);
      // More plants than fit into one statement, and no more than the queue of a usual store.
      await addAtOnce(store, plainPlants(2_000, 1_001));
    }),
    mutants: {
      'returns `added` if the same plant is there already': ({ exists }, { database }) => ({
        exists(asked) {
          const stored = database.rows.get(asked.id);
          return stored && isSamePlant(stored, asked) ? ADDED : exists(asked);
        },
      }),
      'retries if the response to its first write is lost, and returns `exists` for its own plants': ({ commit }) => {
        let isFirst = true;
        return {
          async commit(batch) {
            if (isFirst) await commit(batch);
            isFirst = false;
            return commit(batch);
          },
        };
      },
      'stores the first thousand of the waiting adds, and acknowledges all': ({ write }) => ({
        async write(batch) {
          const outcomes = await write(batch.slice(0, 1_000));
          return batch.map((_, at) => outcomes[at] ?? ADDED);
        },
      }),
      'has a unique index on the name': ({ commit }, { database: { rows } }) => ({
        async commit(batch) {
          const isTaken = ({ id, name }: NewPlant) =>
            !rows.has(id) && [...rows.values()].some((row) => row.name === name);
          const inserted = batch.filter((plant) => !isTaken(plant));
          const outcomes = await commit(inserted);
          const error = new Error('duplicate key value violates unique constraint plants_name_key');
          return batch.map((plant) => outcomes[inserted.indexOf(plant)] ?? error);
        },
      }),
    },
  },
  {
    id: 'PR-5',
    shows: 'P2/F6 P3/F6',
    title: 'if the id is taken, add returns the plant that has it, which stays unchanged',
    check: withStore(async (store) => {
      const incomplete = optionalTextFields.map((field, nth) => without(field, plantWithId(BigInt(2 + nth))));
      const plants = [plantWithId(1n), ...incomplete];
      for (const plant of plants) await addNew(store, plant);
      for (const plant of plants) {
        for (const other of [...conflictsWith(plant), probeFor(plant)]) {
          const action = () => `added ${show(plant)}, then others under its id, the last of them ${show(other)}`;
          expectExists(await addPlant(store, other, action), plant, action);
        }
      }
    }),
    mutants: {
      'updates all but the name of the plant that has the id': ({ exists }, { database }) => ({
        exists(asked) {
          const result = exists(asked);
          if ('plant' in result) database.overwrite({ ...asked, name: result.plant.name });
          return result;
        },
      }),
      'returns the plant that was passed in if the names are equal': ({ toPlant }) => ({
        toPlant: (stored, asked) => (stored.name === asked.name ? pickPlant(asked) : toPlant(stored, asked)),
      }),
    },
  },
  {
    id: 'PR-8',
    shows: 'P2',
    title: 'changing an object that was passed in or returned does not change what is stored',
    check: withStore(async (store) => {
      const stored = plantWithId(1n);
      const { id: _, ...changed } = plantWith(1n, (field) => `changed ${field}`);
      const passedIn = { ...stored };
      const adding = addPlant(store, passedIn, `added ${show(stored)}, and changed the object before add returned`);
      Object.assign(passedIn, changed, { id: 2n });
      await adding;
      Object.assign(passedIn, changed, { id: 1n });
      const action = 'added a plant, and changed the object that was passed in before add returned and after it';
      const returned = await expectStored(store, stored, action);
      // Has no effect on a frozen plant, which is allowed.
      for (const [field, text] of Object.entries(changed)) Reflect.set(returned, field, text);
      await expectStored(store, stored, 'changed the plant that add had returned');
    }),
    mutants: {
      'reads the object that was passed in only when it is written': () => ({ snapshot: (plant) => plant }),
      'caches the plant that it toPlant, and returns the same object again': ({ toPlant }) => {
        const cache = new Map<bigint, Plant>();
        return {
          toPlant(stored, asked) {
            const plant = cache.get(asked.id) ?? toPlant(stored, asked);
            cache.set(asked.id, plant);
            return plant;
          },
        };
      },
    },
  },
];

/** Adds plants one by one and all at once, because stores often write several plants by another code path than one. */
function storedExactly(makePlants: () => readonly NewPlant[]): Clause<StoreHarness>['check'] {
  const oneByOne = async (store: PlantStore) => {
    for (const plant of makePlants()) await addNew(store, plant);
    for (const plant of makePlants()) await expectExactly(store, plant, () => `added ${show(plant)}`);
  };
  const together = async (store: PlantStore) => {
    const plants = makePlants();
    const action = (plant: NewPlant) => () => `added ${show(plant)} together with ${plants.length - 1} others`;
    await Promise.all(plants.map((plant) => addNew(store, plant)));
    await Promise.all(plants.map((plant) => expectExactly(store, plant, action(plant))));
  };
  return async (harness, tools) => {
    await withStore(oneByOne)(harness, tools);
    await withStore(together)(harness, tools);
  };
}

/** Looks up a plant that must be stored, and expects that an absent text is no property of it. */
async function expectExactly(store: PlantStore, plant: NewPlant, action: () => string): Promise<void> {
  const stored = await expectStored(store, plant, action);
  const field = optionalTextFields.find((each) => each in stored !== each in plant);
  if (field) throw new ContractViolation(action, show(stored), `the property \`${field}\` only where it is present`);
}

function expectAdded(result: AddResult, action: Sentence): void {
  if (result.outcome !== 'added') throw new ContractViolation(action, show(result), '{outcome: "added"}');
}

/** Adds plants at once. A store may reject some as overloaded, but an add must not fail in another way. */
async function addAtOnce(store: PlantStore, plants: readonly NewPlant[]): Promise<void> {
  const action = (plant: NewPlant) => () => `added ${show(plant)} and ${plants.length - 1} others at once`;
  const acknowledged: NewPlant[] = [];
  const add = async (plant: NewPlant) => {
    const result = await unlessUnavailable(action(plant), () => store.plants.add(plant), StoreUnavailable);
    if (!result) return;
    expectAdded(result.value, action(plant));
    acknowledged.push(plant);
  };
  await Promise.all(plants.map(add));
  await inChunks(acknowledged, (plant) => expectStored(store, plant, action(plant)));
}

function conflictsWith(plant: NewPlant): NewPlant[] {
  const changed = textFields.flatMap((field) =>
    [`other ${field}`, `${field} ${plant.id}`.toUpperCase(), ''].map((text) => ({ ...plant, [field]: text })),
  );
  const incomplete = optionalTextFields.map((field) => without(field, plant));
  const allDiffer = plantWith(plant.id, (field) => `other ${field}`);
  return [...changed, ...incomplete, allDiffer].filter((other) => !isSamePlant(other, plant));
}

const undefinedTexts = Object.fromEntries(optionalTextFields.map((field) => [field, undefined]));

function storing(change: (plant: NewPlant) => NewPlant): StoreMutation {
  return ({ snapshot }) => ({ snapshot: (plant) => change(snapshot(plant)) });
}

function changing(change: (text: string) => string, fields = textFields): StoreMutation {
  return storingTexts((text) => (text === undefined ? undefined : change(text)), fields);
}

/** Stores other texts in these fields. One that is undefined is absent. */
function storingTexts(change: (text?: string) => string | undefined, fields = textFields): StoreMutation {
  return storing((plant) => {
    const changed = fields.map((field) => [field, change(plant[field])]);
    return { id: plant.id, ...pickPlant({ ...plant, ...Object.fromEntries(changed) }) };
  });
}
