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
import { hardPlants, plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { type ExportMutation, PAGE, type Row } from './model-export.ts';

/** The PlantExport contract: one clause for every number in the documentation of the port. */
export const plantExportContract: Contract<StoreHarness, ExportMutation> = {
  name: 'PlantExport',
  documentation: 'docs/storage-adapters.md',
  clauses: [
    {
      id: 'PE-1',
      shows: 'P2',
      title: 'every plant is read exactly once, as it was added, in ascending order of the ids',
      check: withExport(async (store, exported) => {
        expectAll(await readAll(exported, 'read an empty store'), [], 'read an empty store');
        const plants = [...hardPlants(), ...plainPlants(2_500, 10_000)].toReversed();
        await addAll(store, plants);
        const action = `added ${plants.length} plants, the largest ids first, then read all`;
        const read = await readAll(exported, action);
        expectAll(read, plants, action);
        const at = read.findIndex(({ id }, nth) => id < (read[nth - 1]?.id ?? id));
        if (at >= 0) throw new ContractViolation(action, `${read[at - 1]?.id}, then ${read[at]?.id}`, 'ascending ids');
      }),
      mutants: {
        'leaves out the plant at the end of each page': () => ({ page: (rows, from, to) => rows.slice(from, to - 1) }),
        'reads an absent text as a property that is undefined': ({ toPlant }) => ({
          toPlant: (row) => ({
            ...Object.fromEntries(optionalTextFields.map((field) => [field, undefined])),
            ...toPlant(row),
          }),
        }),
        'reads in the order of insertion': sortedBy(() => 0),
        'orders ids as texts': sortedBy(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      },
    },
    {
      id: 'PE-3',
      shows: 'P8',
      title: 'the plants are those stored at one moment, and adds succeed while they are read, however slowly',
      check: withExport(async (store, exported) => {
        const plants = plainPlants(2_500);
        await addAll(store, plants);
        const action = 'added 2500 plants, others one by one while the first was read, and more between, then read on';
        const reading = startReading(exported);
        let isRead = false;
        const first = next(reading, action).finally(() => (isRead = true));
        const during: NewPlant[] = [];
        // From both ends in turn, so that a reader misses earlier ones and sees later ones, in whichever order it reads.
        for (let at = 0; at < plants.length / 2 && !isRead; at += 1) {
          const id = (plants.at(at % 2 > 0 ? at : -1 - at)?.id ?? 0n) + 2n;
          during.push({ id, name: `added while the first was read, as number ${at}` });
          await addNew(store, during.at(-1) as NewPlant);
        }
        await addAll(store, [{ id: -1n, name: 'before' }, ...plants.map((plant) => ({ ...plant, id: plant.id + 1n }))]);
        const read = [await first, ...(await rest(reading, action))];
        // Those that were added before the moment of the snapshot.
        const missing = during.findIndex(({ id }) => !read.some((plant) => plant.id === id));
        expectAll(read, [...plants, ...during.slice(0, missing < 0 ? during.length : missing)], action);
      }),
      mutants: {
        'reads each page without a snapshot': ({ rows }) => ({ page: (_, from, to) => rows().slice(from, to) }),
        'lists all plants before the first, page by page without a snapshot': ({ rows }, model) => ({
          async *readAll() {
            const listed: Row[] = [];
            for (let more = rows(); more.length > 0; more = rows().filter(([id]) => id > (listed.at(-1)?.[0] ?? id))) {
              listed.push(...more.slice(0, PAGE));
              await model.roundTrip();
            }
            for (const row of listed) yield model.toPlant(row);
          },
        }),
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
      id: 'PE-5',
      shows: 'P8',
      title: 'a reader that stops early blocks neither later readers nor adds',
      check: withExport(async (store, exported, fixture) => {
        await addAll(store, plainPlants(500));
        for (let readers = 1; readers <= 30; readers += 1) {
          const action = `read one of 500 plants and stopped, ${readers} times`;
          const reading = startReading(exported);
          await limited(fixture, action, next(reading, action));
          await limited(
            fixture,
            action,
            resolved(action, async () => reading.return?.(), 'it stops'),
          );
        }
        const action = 'read one of 500 plants and stopped, 30 times; then added another one and read all';
        await addNew(store, plainPlant(501), action);
        expectAll(await limited(fixture, action, readAll(exported, action)), plainPlants(501), action);
      }),
      mutants: {
        'releases one of its ten connections only if all plants are read': ({ readAll }) => {
          let free = 10;
          return {
            async *readAll() {
              if (free === 0) await new Promise(() => {});
              free -= 1;
              yield* readAll();
              free += 1;
            },
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

function sortedBy(compare: (a: Row, b: Row) => number): ExportMutation {
  return (_, { database }) => ({ rows: () => [...database.rows].sort(compare) });
}
