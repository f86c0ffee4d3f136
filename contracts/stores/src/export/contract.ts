import {
  type Clause,
  type Contract,
  ContractViolation,
  resolved,
  show,
  unlessUnavailable,
  within,
} from '@plant-store/contracts-kit';
import {
  isSamePlant,
  type NewPlant,
  optionalTextFields,
  type PlantExport,
  type PlantStore,
  StoreUnavailable,
} from '@plant-store/domain';
import { addNew, inChunks } from '../expectations.ts';
import { type Fixture, withStore } from '../fixture.ts';
import { exportRevisions } from '../revisions.ts';
import { hardPlants, plainPlant, plainPlants, plantsWithHardIds } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** The PlantExport contract: one clause for every number in the documentation of the port. */
export const plantExportContract: Contract<StoreHarness> = {
  name: 'PlantExport',
  documentation: 'docs/storage-adapters.md',
  revisions: exportRevisions,
  clauses: [
    {
      id: 'PE-1',
      title: 'every plant is read exactly once, as it was added',
      check: withExport(async (store, exported) => {
        expectAll(await readAll(exported, 'read an empty store'), [], 'read an empty store');
        const plants = [...hardPlants(), ...plainPlants(2_500, 10_000)];
        await addAll(store, plants);
        const action = `added ${plants.length} plants, then read all`;
        expectAll(await readAll(exported, action), plants, action);
      }),
    },
    {
      id: 'PE-2',
      title: 'plants are in ascending order of their ids',
      check: withExport(async (store, exported) => {
        const plants = [...plantsWithHardIds(), ...plainPlants(2_500, 10_000)].toReversed();
        await addAll(store, plants);
        const action = `added ${plants.length} plants, the largest ids first, then read all`;
        const ids = (await readAll(exported, action)).map(({ id }) => id);
        const at = ids.findIndex((id, nth) => id < (ids[nth - 1] ?? id));
        if (at >= 0) throw new ContractViolation(action, `${ids[at - 1]}, then ${ids[at]}`, 'ascending ids');
      }),
    },
    {
      id: 'PE-3',
      title: 'the plants are those stored at one moment',
      check: withExport(async (store, exported) => {
        const plants = plainPlants(2_500);
        await addAll(store, plants);
        const action = 'added 2500 plants, others one by one while the first was read, and more between, then read on';
        const reading = startReading(exported);
        let isRead = false;
        const first = next(reading, action).finally(() => (isRead = true));
        const during: NewPlant[] = [];
        const addDuring = async () => {
          // From both ends in turn, so that a reader misses earlier ones and sees later ones, in whichever order it reads.
          for (let at = 0; at < plants.length / 2 && !isRead; at += 1) {
            const beside = plants.at(at % 2 > 0 ? at : -1 - at)?.id ?? 0n;
            const plant = { id: beside + 2n, name: `added while the first was read, as number ${at}` };
            during.push(plant);
            await addNew(store, plant);
          }
        };
        const [one] = await Promise.all([first, addDuring()]);
        const between = plants.map(({ id, name }) => ({ id: id + 1n, name: `${name}, added later` }));
        await addAll(store, [{ id: -1n, name: 'before' }, ...between, plainPlant(9_999)]);
        const read = [one, ...(await rest(reading, action))];
        const ids = new Set(read.map(({ id }) => id));
        const missing = during.findIndex(({ id }) => !ids.has(id));
        expectAll(read, [...plants, ...during.slice(0, missing < 0 ? during.length : missing)], action);
      }),
    },
    {
      id: 'PE-4',
      title: 'adds succeed while plants are read, however slowly',
      check: withExport(async (store, exported) => {
        await addAll(store, plainPlants(500));
        const action = 'added 500 plants, read one of them';
        const reading = startReading(exported);
        await next(reading, action);
        for (const plant of plainPlants(20, 1_000)) await addNew(store, plant, `${action}, then added ${show(plant)}`);
        await rest(reading, action);
      }),
    },
    {
      id: 'PE-5',
      title: 'a reader that stops early blocks neither later readers nor adds',
      check: withExport(async (store, exported, fixture) => {
        await addAll(store, plainPlants(500));
        for (let readers = 1; readers <= 30; readers += 1) {
          const action = `read one of 500 plants and stopped, ${readers} times`;
          const stopping = async () => {
            const reading = startReading(exported);
            await next(reading, action);
            await reading.return?.();
          };
          await limited(fixture, action, resolved(action, stopping, 'it stops'));
        }
        const action = 'read one of 500 plants and stopped, 30 times; then added another one and read all';
        await addNew(store, plainPlant(501), action);
        expectAll(await limited(fixture, action, readAll(exported, action)), plainPlants(501), action);
      }),
    },
    {
      id: 'PE-6',
      title: 'if the store cannot answer, reading either reads every plant or throws StoreUnavailable',
      appliesTo: ({ capabilities }) => capabilities.external,
      check: withExport(async (store, exported, fixture) => {
        const plants = plainPlants(2_500);
        await addAll(store, plants);
        const expectAllOrUnavailable = async (action: string, reading: Reading, read: readonly NewPlant[]) => {
          const reads = () => limited(fixture, action, toTheEnd(reading));
          const others = await unlessUnavailable(action, reads, StoreUnavailable);
          if (others) expectAll([...read, ...others.value], plants, action);
        };
        const reading = startReading(exported);
        const read = [await next(reading, 'added 2500 plants, then read one')];
        const begun = Promise.withResolvers<void>();
        const outage = fixture.during('startOutage', async () => {
          begun.resolve();
          await readOn;
          await expectAllOrUnavailable('began an outage, then read all of 2500 plants', startReading(exported), []);
        });
        // The fault may be a lock that waits for the reader.
        const readOn = Promise.race([begun.promise, outage, fixture.tools.sleep(BEGIN_MS)]).then(() =>
          expectAllOrUnavailable('read one of 2500 plants, began an outage, then read on', reading, read),
        );
        await Promise.all([outage, readOn]);
      }),
    },
  ],
};

/** A reader of an export, plant by plant. */
type Reading = AsyncIterator<NewPlant>;

const startReading = (exported: PlantExport): Reading => exported.readAll()[Symbol.asyncIterator]();

async function next(reading: Reading, action: string): Promise<NewPlant> {
  const { done, value } = await resolved(action, () => reading.next(), 'a plant is read');
  if (done) throw new ContractViolation(action, 'it read none', 'a plant is read');
  return value;
}

async function toTheEnd(reading: Reading): Promise<readonly NewPlant[]> {
  const plants: NewPlant[] = [];
  for await (const plant of { [Symbol.asyncIterator]: () => reading }) plants.push(plant);
  return plants;
}

const rest = (reading: Reading, action: string) => resolved(action, () => toTheEnd(reading), 'every plant is read');

/** Reads every plant of an export. @throws {ContractViolation} if it throws. */
export const readAll = (exported: PlantExport, action: string): Promise<readonly NewPlant[]> =>
  rest(startReading(exported), action);

/** How long to wait for an outage to begin. One that does not wait for the reader begins earlier. */
const BEGIN_MS = 500;

/** The time limit of a reader: much longer than reading takes, well below the time-out of a clause. */
const READ_MS = 20_000;

function limited<T>({ tools }: Fixture, action: string, reading: Promise<T>): Promise<T> {
  return within(READ_MS, tools, action, reading, 'it finishes, or throws');
}

function withExport(
  use: (store: PlantStore, exported: PlantExport, fixture: Fixture) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return withStore((store, fixture) => use(store, fixture.require('export')(), fixture));
}

const addAll = (store: PlantStore, plants: readonly NewPlant[]) => inChunks(plants, (plant) => addNew(store, plant));

/** Expects that the read plants are exactly the added ones, each once. */
export function expectAll(read: readonly NewPlant[], added: readonly NewPlant[], action: string): void {
  const missing = new Map(added.map((plant) => [plant.id, plant]));
  for (const plant of read) {
    const expected = missing.get(plant.id);
    if (!expected) throw new ContractViolation(action, show(plant), 'each plant that was added before, once, no other');
    if (!isSamePlant(plant, expected) || optionalTextFields.some((field) => field in plant !== field in expected))
      throw new ContractViolation(action, show(plant), show(expected));
    missing.delete(plant.id);
  }
  const [lost] = missing.values();
  if (lost)
    throw new ContractViolation(action, `${missing.size} are missing, such as ${show(lost)}`, 'each of them, once');
}
