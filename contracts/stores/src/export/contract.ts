import {
  type Contract,
  ContractViolation,
  NotChecked,
  resolved,
  show,
  type Tools,
  within,
} from '@plant-store/contracts-kit';
import { isSamePlant, type NewPlant, optionalTextFields, type PlantExport, type PlantStore } from '@plant-store/domain';
import { addNew, unlessUnavailable } from '../expectations.ts';
import { inOpenStore, required } from '../prepared-store.ts';
import { exportRevisions } from '../revisions.ts';
import {
  plainPlant,
  plainPlants,
  plantsWithAbsentAndEmptyTexts,
  plantsWithHardIds,
  plantsWithHardTexts,
  plantsWithHugeTexts,
} from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';
import { next, type Reading, readAll, readToTheEnd, rest, startReading } from './reading.ts';

/** The PlantExport contract: one clause for every number in the documentation of the port. */
export const plantExportContract: Contract<StoreHarness> = {
  name: 'PlantExport',
  revisions: exportRevisions,
  documentation: 'docs/storage-adapters.md',
  clauses: [
    {
      id: 'PE-1',
      title: 'every plant is read exactly once, as it was added',
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported) => {
          expectAll(await readAll(exported, 'read an empty store'), [], 'read an empty store');
          const plants = [
            ...plantsWithHardIds(),
            ...plantsWithHardTexts(),
            ...plantsWithHugeTexts(),
            ...plainPlants(2_500, 10_000),
            ...plantsWithAbsentAndEmptyTexts(100_001n),
          ];
          await addAll(store, plants);
          const action = `added ${plants.length} plants, then read all`;
          expectAll(await readAll(exported, action), plants, action);
        }),
    },
    {
      id: 'PE-2',
      title: 'plants are in ascending order of their ids',
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported) => {
          const plants = [...plantsWithHardIds(), ...plainPlants(2_500, 10_000)].toReversed();
          await addAll(store, plants);
          const action = `added ${plants.length} plants, the largest ids first, then read all`;
          const read = await readAll(exported, action);
          for (const [at, { id }] of read.entries()) {
            const before = read[at - 1];
            if (before && before.id > id)
              throw new ContractViolation(action, `${before.id}, then ${id}`, 'ascending ids');
          }
        }),
    },
    {
      id: 'PE-3',
      title: 'the plants are those stored at one moment',
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported) => {
          const plants = plainPlants(2_500);
          await addAll(store, plants);
          const action = 'added 2500 plants, read one, added others between, before and behind them, then read on';
          const reading = startReading(exported);
          const first = await next(reading, action);
          const later = [{ id: -1n, name: 'before' }, ...plainPlants(2_500).map(moved), plainPlant(9_999)];
          await addAll(store, later);
          const read = [...(first ? [first] : []), ...(await rest(reading, action))];
          const laterIds = new Set(later.map(({ id }) => id));
          const late = read.find(({ id }) => laterIds.has(id));
          if (late)
            throw new ContractViolation(action, show(late), 'nothing that was added after the first plant was read');
          expectAll(read, plants, action);
        }),
    },
    {
      id: 'PE-4',
      title: 'adds succeed while plants are read, however slowly',
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported) => {
          await addAll(store, plainPlants(500));
          const action = 'added 500 plants, read one of them';
          const reading = startReading(exported);
          await next(reading, action);
          for (const plant of plainPlants(20, 1_000))
            await addNew(store, plant, `${action}, then added ${show(plant)}`);
          await rest(reading, action);
        }),
    },
    {
      id: 'PE-5',
      title: 'a reader that stops early leaves nothing behind',
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported) => {
          await addAll(store, plainPlants(500));
          for (let readers = 1; readers <= 30; readers += 1) {
            const action = `read one of 500 plants and stopped, ${readers} times`;
            const reading = startReading(exported);
            await bounded(tools, action, next(reading, action));
            const stopping = resolved(action, async () => void (await reading.return?.()), 'it stops');
            await bounded(tools, action, stopping);
          }
          const action = 'read one of 500 plants and stopped, 30 times; then added another one and read all';
          await addNew(store, plainPlant(501), action);
          const count = (await bounded(tools, action, readAll(exported, action))).length;
          if (count < 501) throw new ContractViolation(action, `${count} plants`, '501 plants');
        }),
    },
    {
      id: 'PE-6',
      title: 'if the store cannot answer, reading either reads every plant or throws StoreUnavailable',
      appliesTo: ({ capabilities }) => capabilities.external,
      check: (harness, tools) =>
        inExport(harness, tools, async (store, exported, prepared) => {
          const plants = plainPlants(2_500);
          await addAll(store, plants);
          const expectAllOrUnavailable = async (action: string, read: readonly NewPlant[], reading: Reading) => {
            const toTheEnd = unlessUnavailable(action, () => readToTheEnd(reading));
            const others = await bounded(tools, action, toTheEnd);
            if (others) expectAll([...read, ...others.value], plants, action);
          };
          const reading = startReading(exported);
          const first = await next(reading, 'added 2500 plants, then read one');
          const startOutage = required(prepared, 'startOutage', 'external');
          const beginning = resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
          // A lock may have to wait for the reader.
          await Promise.race([beginning, tools.sleep(BEGIN_MS)]);
          try {
            const action = 'read one of 2500 plants, began an outage, then read on';
            await expectAllOrUnavailable(action, first ? [first] : [], reading);
            await beginning;
            await expectAllOrUnavailable('began an outage, then read all of 2500 plants', [], startReading(exported));
          } finally {
            const end = await beginning;
            await end();
          }
        }),
    },
  ],
};

/** Many times what reading a page may take, well below the time that a clause has. */
const READ_MS = 20_000;

/** Long enough for an outage that waits for nobody. */
const BEGIN_MS = 500;

function bounded<T>(tools: Tools, action: string, read: Promise<T>): Promise<T> {
  return within(READ_MS, tools, action, read, 'it finishes, or throws');
}

async function inExport(
  harness: StoreHarness,
  tools: Tools,
  use: (store: PlantStore, exported: PlantExport, prepared: PreparedStore) => Promise<void>,
): Promise<void> {
  await inOpenStore(harness, tools, async (store, prepared) => {
    if (!prepared.export) throw new NotChecked('needs an export of what is stored: supply export() with prepare()');
    await use(store, prepared.export(), prepared);
  });
}

/** In portions: a store may reject too many at once. */
async function addAll(store: PlantStore, plants: readonly NewPlant[]): Promise<void> {
  for (let at = 0; at < plants.length; at += 500) {
    await Promise.all(plants.slice(at, at + 500).map((plant) => addNew(store, plant)));
  }
}

/** Ids that lie between those of the plain plants. */
function moved({ id, name }: NewPlant): NewPlant {
  return { id: id + 1n, name: `${name}, added later` };
}

function expectAll(read: readonly NewPlant[], added: readonly NewPlant[], action: string): void {
  const missing = new Map(added.map((plant) => [plant.id, plant]));
  for (const plant of read) {
    const expected = missing.get(plant.id);
    if (!expected) throw new ContractViolation(action, show(plant), 'each plant that was added, once, and no other');
    if (!isSamePlant(plant, expected) || optionalTextFields.some((field) => field in plant !== field in expected))
      throw new ContractViolation(action, show(plant), show(expected));
    missing.delete(plant.id);
  }
  const [lost] = missing.values();
  if (lost)
    throw new ContractViolation(action, `${missing.size} are missing, such as ${show(lost)}`, 'each of them, once');
}
