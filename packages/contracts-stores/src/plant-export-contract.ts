import { type Contract, ContractViolation, resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import { isSamePlant, type NewPlant, type PlantExport, type PlantStore } from '@plant-store/domain';
import { put, unlessUnavailable } from './expectations.ts';
import type { ExportHarness, PreparedExport } from './export-harness.ts';
import { inOpenStore, required } from './prepared-store.ts';
import {
  plainPlant,
  plainPlants,
  plantsWithHardIds,
  plantsWithHardTexts,
  plantsWithHugeTexts,
} from './sample-plants.ts';

/** The PlantExport contract: one clause for every number in the documentation of the port. */
export const plantExportContract: Contract<ExportHarness> = {
  name: 'PlantExport',
  clauses: [
    {
      id: 'PE-1',
      title: 'every plant comes exactly once, as it was added',
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported) => {
          expectAll(await readAll(exported, 'read an empty store'), [], 'read an empty store');
          const plants = [
            ...plantsWithHardIds(),
            ...plantsWithHardTexts(),
            ...plantsWithHugeTexts(),
            ...plainPlants(2_500, 10_000),
            { id: 5_001n, name: 'no tag' },
            { id: 5_002n, name: 'an empty tag', tag: '' },
          ];
          await putAll(store, plants);
          const did = `added ${plants.length} plants, then read all`;
          expectAll(await readAll(exported, did), plants, did);
        }),
    },
    {
      id: 'PE-2',
      title: 'plants come in ascending order of their ids',
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported) => {
          const plants = [...plantsWithHardIds(), ...plainPlants(2_500, 10_000)].toReversed();
          await putAll(store, plants);
          const did = `added ${plants.length} plants, the largest ids first, then read all`;
          const came = await readAll(exported, did);
          for (const [at, { id }] of came.entries()) {
            const before = came[at - 1];
            if (before && before.id > id) throw new ContractViolation(did, `${before.id}, then ${id}`, 'ascending ids');
          }
        }),
    },
    {
      id: 'PE-3',
      title: 'what comes is what was stored at one moment',
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported) => {
          await putAll(store, plainPlants(2_500));
          const did = 'added 2500 plants, read one, added others between, before and behind them, then read on';
          const reading = startReading(exported);
          const first = await next(reading, did);
          const later = [{ id: -1n, name: 'before' }, ...plainPlants(2_500).map(moved), plainPlant(9_999)];
          await putAll(store, later);
          const came = [...(first ? [first] : []), ...(await rest(reading, did))];
          const late = came.find(({ id }) => later.some((plant) => plant.id === id));
          if (late)
            throw new ContractViolation(did, show(late), 'nothing that was added after the first plant had come');
        }),
    },
    {
      id: 'PE-4',
      title: 'adds are answered while plants are read, however slowly',
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported) => {
          await putAll(store, plainPlants(500));
          const did = 'added 500 plants, read one of them';
          const reading = startReading(exported);
          await next(reading, did);
          for (const plant of plainPlants(20, 1_000)) await put(store, plant, `${did}, then added ${show(plant)}`);
          await rest(reading, did);
        }),
    },
    {
      id: 'PE-5',
      title: 'a reader that stops early leaves nothing behind',
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported) => {
          await putAll(store, plainPlants(500));
          for (let readers = 1; readers <= 30; readers += 1) {
            const did = `read one of 500 plants and stopped, ${readers} times`;
            const reading = startReading(exported);
            await bounded(tools, did, next(reading, did));
            await bounded(
              tools,
              did,
              resolved(did, async () => void (await reading.return?.()), 'it stops'),
            );
          }
          const did = 'read one of 500 plants and stopped, 30 times; then added another one and read all';
          await put(store, plainPlant(501), did);
          const count = (await bounded(tools, did, readAll(exported, did))).length;
          if (count < 501) throw new ContractViolation(did, `${count} plants`, '501 plants');
        }),
    },
    {
      id: 'PE-6',
      title: 'where the store cannot answer, a reading comes to its end or throws StoreUnavailable',
      appliesTo: ({ capabilities }) => capabilities.external,
      check: (subject, tools) =>
        inExport(subject, tools, async (store, exported, prepared) => {
          await putAll(store, plainPlants(500));
          const startOutage = required(prepared, 'startOutage', 'external');
          const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
          try {
            const did = 'began an outage, then read all';
            await bounded(
              tools,
              did,
              unlessUnavailable(did, () => toTheEnd(exported)),
            );
          } finally {
            await end();
          }
        }),
    },
  ],
};

/** Many times what reading a page may take, well below the time that a clause has. */
const READ_MS = 20_000;

function bounded<T>(tools: Tools, did: string, read: Promise<T>): Promise<T> {
  return within(READ_MS, tools, did, read, 'it comes to its end, or throws');
}

async function inExport(
  subject: ExportHarness,
  tools: Tools,
  use: (store: PlantStore, exported: PlantExport, prepared: PreparedExport) => Promise<void>,
): Promise<void> {
  let place: PreparedExport | undefined;
  const prepare = async () => {
    place = await subject.prepare();
    return place;
  };
  await inOpenStore({ ...subject, prepare }, tools, async (store) => {
    if (place) await use(store, place.export(), place);
  });
}

/** A store may refuse what is too much at once. */
async function putAll(store: PlantStore, plants: readonly NewPlant[]): Promise<void> {
  for (let at = 0; at < plants.length; at += 500) {
    await Promise.all(plants.slice(at, at + 500).map((plant) => put(store, plant)));
  }
}

/** Ids that lie between those of the plain plants. */
function moved({ id, name }: NewPlant): NewPlant {
  return { id: id + 1n, name: `${name}, added later` };
}

type Reading = AsyncIterator<NewPlant>;

function startReading(exported: PlantExport): Reading {
  return exported.readAll()[Symbol.asyncIterator]();
}

async function next(reading: Reading, did: string): Promise<NewPlant | undefined> {
  const { done, value } = await resolved(did, () => reading.next(), 'a plant comes');
  return done ? undefined : value;
}

async function rest(reading: Reading, did: string): Promise<readonly NewPlant[]> {
  const plants: NewPlant[] = [];
  for (let plant = await next(reading, did); plant; plant = await next(reading, did)) plants.push(plant);
  return plants;
}

function readAll(exported: PlantExport, did: string): Promise<readonly NewPlant[]> {
  return rest(startReading(exported), did);
}

async function toTheEnd(exported: PlantExport): Promise<void> {
  for await (const _ of exported.readAll());
}

function expectAll(came: readonly NewPlant[], added: readonly NewPlant[], did: string): void {
  const missing = new Map(added.map((plant) => [plant.id, plant]));
  for (const plant of came) {
    const expected = missing.get(plant.id);
    if (!expected) throw new ContractViolation(did, show(plant), 'each plant that was added, once, and no other');
    if (!isSamePlant(plant, expected) || 'tag' in plant !== 'tag' in expected)
      throw new ContractViolation(did, show(plant), show(expected));
    missing.delete(plant.id);
  }
  const [lost] = missing.values();
  if (lost)
    throw new ContractViolation(did, `${missing.size} did not come, such as ${show(lost)}`, 'each of them, once');
}
