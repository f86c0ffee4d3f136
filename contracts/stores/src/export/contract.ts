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
import { hardPlants, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import type { ExportMutation } from './model-export.ts';

/** The PlantExport contract: one clause for every number in the documentation of the port. */
export const plantExportContract: Contract<StoreHarness, ExportMutation> = {
  name: 'PlantExport',
  documentation: 'docs/storage-adapters.md',
  clauses: [
    {
      id: 'PE-1',
      shows: 'P2',
      title: 'every plant is read exactly once, as it was added',
      check: withExport(async (store, exported) => {
        expectAll(await readAll(exported, 'read an empty store'), [], 'read an empty store');
        const plants = [...hardPlants(), ...plainPlants(2_500, 10_000)].toReversed();
        await addAll(store, plants);
        const action = `added ${plants.length} plants, the largest ids first, then read all`;
        expectAll(await readAll(exported, action), plants, action);
      }),
      mutants: {
        'leaves out the plant at the end of each page': () => ({ page: (rows, from, to) => rows.slice(from, to - 1) }),
        'reads an absent text as a property that is undefined': ({ toPlant }) => ({
          toPlant: (row) => ({
            ...Object.fromEntries(optionalTextFields.map((field) => [field, undefined])),
            ...toPlant(row),
          }),
        }),
      },
    },
    {
      id: 'PE-3',
      shows: 'P8',
      title: 'adds succeed while plants are read, however slowly',
      check: withExport(async (store, exported) => {
        const plants = plainPlants(2_500);
        await addAll(store, plants);
        const action = 'added 2500 plants, read one, added one beside each, then read on';
        const reading = startReading(exported);
        const first = await next(reading, action);
        const others = plants.map((plant) => ({ ...plant, id: plant.id + 1n }));
        await addAll(store, others);
        const read = [first, ...(await rest(reading, action))];
        const otherIds = new Set(others.map(({ id }) => id));
        const earlier = read.filter(({ id }) => !otherIds.has(id));
        expectAll(earlier, plants, action);
      }),
      mutants: {
        'locks the plants until all are read': ({ rows, roundTrip }, { database }) => {
          let unlock: (() => Promise<void>) | undefined;
          return {
            rows() {
              unlock = database.startOutage();
              return rows();
            },
            roundTrip: async () => (unlock ? undefined : roundTrip()),
            release: async () => unlock?.(),
          };
        },
      },
    },
    {
      id: 'PE-6',
      shows: 'P8',
      title: 'if the store cannot answer, reading either reads every plant or throws StoreUnavailable',
      appliesTo: ({ capabilities }) => capabilities.external,
      check: withExport(async (store, exported, fixture) => {
        const plants = plainPlants(2_500);
        await addAll(store, plants);
        const expectAllOrUnavailable = async (action: string, reading: Reading, read: readonly NewPlant[]) => {
          const reads = () => within(READ_MS, fixture.tools, action, toTheEnd(reading), 'it finishes, or throws');
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
      mutants: {
        'waits for the end of an outage': (_, { database }) => ({ roundTrip: async () => database.outage }),
        'throws an error of its driver in an outage': (_, { database }) => ({
          async roundTrip() {
            if (database.outage) throw new Error('ECONNREFUSED');
          },
        }),
        'ends quietly if an outage begins between two pages': ({ roundTrip, page }, { database }) => {
          let roundTrips = 0;
          return {
            roundTrip: () => (roundTrips++ === 0 ? roundTrip() : roundTrip().catch(() => {})),
            page: (...given) => (database.outage ? [] : page(...given)),
          };
        },
      },
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
