import { type Clause, NotChecked, resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import { expectStored, put, unlessUnavailable } from './expectations.ts';
import { inPreparedStore, inStoreOn } from './prepared-store.ts';
import { plainPlant } from './sample-plants.ts';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** What an answer means when the server goes down: PR-18. */
export const serverCrashClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-18',
    title: 'what was answered is there after the server behind the store was killed and started again',
    appliesTo: (subject) => subject.capabilities.survivesServerCrash,
    check: (subject, tools) =>
      inPreparedStore(subject, async (prepared) => {
        const answered = await addUntilServerIsKilled(subject, prepared, tools);
        const did = `killed the server after ${answered.length} plants were answered, and started it again`;
        const expectAll = async (store: PlantStore) => {
          for (let from = 0; from < answered.length; from += 100) {
            const some = answered.slice(from, from + 100);
            await Promise.all(some.map((plant) => expectStored(store, plant, `added ${show(plant)}, ${did}`)));
          }
        };
        await inStoreOn(subject, prepared, tools, expectAll, `${did}, then opened a store`);
      }),
  },
];

/** Adds plants all the while, each by two callers at once, and resolves with those that either was answered for. */
async function addUntilServerIsKilled(
  subject: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const killServer = prepared.killServer?.bind(prepared);
  if (!killServer)
    throw new NotChecked(
      'nobody may kill the server behind this place: run the contract against a server of its own, with killServer() in what prepare() resolves with',
    );
  return inStoreOn(subject, prepared, tools, (store) => addUntil(killServer, store, tools));
}

async function addUntil(
  killServer: () => Promise<() => Promise<void>>,
  store: PlantStore,
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const first = plainPlant(1);
  await put(store, first);
  const answered = new Set([first]);
  const enough = Promise.withResolvers<void>();
  let killed = false;

  async function add(plant: NewPlant): Promise<boolean> {
    const did = `added ${show(plant)} at about the time when the server was killed`;
    if (!(await unlessUnavailable(did, () => store.plants.add(plant)))) return false;
    answered.add(plant);
    if (answered.size > ENOUGH) enough.resolve();
    return true;
  }
  async function addOneByOne(from: number): Promise<void> {
    for (let at = from, goesOn = true; goesOn && !killed; at += CALLERS) {
      const plant = plainPlant(at);
      goesOn = (await Promise.all([add(plant), add(plant)])).every(Boolean);
      // A store that answers at once would let nothing else happen.
      await tools.sleep(0);
    }
  }

  const adding = Array.from({ length: CALLERS }, (_, at) => addOneByOne(2 + at));
  let startServer: () => Promise<void>;
  try {
    await Promise.race([enough.promise, Promise.all(adding)]);
    const killing = () => within(KILL_OR_START_MS, tools, 'called killServer()', killServer());
    startServer = await resolved('called killServer()', killing, 'it kills the server');
  } finally {
    killed = true;
  }
  await Promise.allSettled(adding);
  const did = 'called the function that killServer() resolved with';
  const starting = () => within(KILL_OR_START_MS, tools, did, startServer());
  await resolved(did, starting, 'the server accepts connections again');
  await Promise.all(adding);
  return [...answered];
}

/** So many pairs of callers add at once, and each goes on as soon as it is answered: the kill meets them in flight. */
const CALLERS = 20;

/** So many plants were answered before the kill: every pair of callers has met the server a few times. */
const ENOUGH = 100;

/** Long enough for a server in a container, well below the time that a clause has. */
const KILL_OR_START_MS = 20_000;
