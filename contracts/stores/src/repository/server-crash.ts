import { type Clause, NotChecked, resolved, show, type Tools, within } from '@plant-store/contracts-kit';
import type { AddResult, NewPlant, PlantStore } from '@plant-store/domain';
import { addNew, expectStored, unlessUnavailable } from '../expectations.ts';
import { inPreparedStore, inStoreOn } from '../prepared-store.ts';
import { plainPlant } from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

/** What an acknowledgement means if the server crashes: PR-18. */
export const serverCrashClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-18',
    title: 'an acknowledged plant is there after the server behind the store was killed and started again',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const acknowledged = await addUntilServerIsKilled(harness, prepared, tools);
        const action = `killed the server after ${acknowledged.length} plants were acknowledged, and started it again`;
        const expectAll = async (store: PlantStore) => {
          for (let from = 0; from < acknowledged.length; from += 100) {
            const some = acknowledged.slice(from, from + 100);
            await Promise.all(some.map((plant) => expectStored(store, plant, `added ${show(plant)}, ${action}`)));
          }
        };
        await inStoreOn(harness, prepared, tools, expectAll, `${action}, then opened a store`);
      }),
  },
];

/** Adds plants until the kill, each by two callers, and resolves with those that were acknowledged. */
async function addUntilServerIsKilled(
  harness: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const killServer = prepared.killServer?.bind(prepared);
  if (!killServer)
    throw new NotChecked(
      'the server behind this place cannot be killed: run the contract against a server of its own, with killServer() in what prepare() resolves with',
    );
  return inStoreOn(harness, prepared, tools, (store) => {
    if (!harness.capabilities.shared) return addUntil(killServer, [store, store], tools);
    // One store would batch the two callers, and answer both once the row is durable. Two are told by the server.
    return inStoreOn(harness, prepared, tools, (other) => addUntil(killServer, [store, other], tools));
  });
}

async function addUntil(
  killServer: () => Promise<() => Promise<void>>,
  [store, other]: readonly [PlantStore, PlantStore],
  tools: Tools,
): Promise<readonly NewPlant[]> {
  const first = plainPlant(1);
  await addNew(store, first);
  const acknowledged = new Set([first]);
  const enough = Promise.withResolvers<void>();
  let killed = false;

  async function add(to: PlantStore, plant: NewPlant): Promise<AddResult | undefined> {
    const action = `added ${show(plant)} at about the time when the server was killed`;
    const result = await unlessUnavailable(action, () => to.plants.add(plant));
    if (result) acknowledged.add(plant);
    return result?.value;
  }
  async function addTwice(plant: NewPlant, secondTo: PlantStore, laterMs: number): Promise<boolean> {
    let isAdded = false;
    const first = add(store, plant).finally(() => {
      isAdded = true;
    });
    const second = laterMs > 0 ? tools.sleep(laterMs).then(() => add(secondTo, plant)) : add(secondTo, plant);
    const early = second.then(async (result) => {
      // Both may return at the same moment, in either order.
      await tools.nextTurn();
      // The best moment to kill: another caller saw the row before the one who added it knew that it is durable.
      const isEarly = result?.outcome === 'exists' && !isAdded;
      if (acknowledged.size > (isEarly ? ENOUGH : PLENTY)) enough.resolve();
      return result;
    });
    return (await Promise.all([first, early])).every((result) => result !== undefined);
  }
  async function addOneByOne(from: number): Promise<void> {
    // Half of them at once with one store, half with another store, which answers from what the server shows.
    const [secondTo, laterMs] = from % 2 === 0 ? [store, 0] : [other, (from >> 1) % LATER_MS];
    for (let at = from, succeeds = true; succeeds && !killed; at += CONCURRENT_PLANTS) {
      succeeds = await addTwice(plainPlant(at), secondTo, laterMs);
      // A store that never waits would let nothing else happen.
      await tools.sleep(0);
    }
  }

  const adding = Array.from({ length: CONCURRENT_PLANTS }, (_, at) => addOneByOne(2 + at));
  let startServer: () => Promise<void>;
  try {
    await Promise.race([enough.promise, Promise.all(adding)]);
    const killing = () => within(KILL_OR_START_MS, tools, 'called killServer()', killServer());
    startServer = await resolved('called killServer()', killing, 'it kills the server');
  } finally {
    killed = true;
  }
  await Promise.allSettled(adding);
  const action = 'called the function that killServer() resolved with';
  const starting = () => within(KILL_OR_START_MS, tools, action, startServer());
  await resolved(action, starting, 'the server accepts connections again');
  await Promise.all(adding);
  return [...acknowledged];
}

/** How many plants are added concurrently, each followed by another one immediately: some are in flight at the kill. */
const CONCURRENT_PLANTS = 20;

/** How many plants are acknowledged before the kill: by then, every connection has been used a few times. */
const ENOUGH = 100;

/** The same if the best moment does not come. */
const PLENTY = 400;

/** The second caller comes up to so many milliseconds after the first: a commit takes about as long. */
const LATER_MS = 6;

/** Long enough for a server in a container, well below the time that a clause has. */
const KILL_OR_START_MS = 20_000;
