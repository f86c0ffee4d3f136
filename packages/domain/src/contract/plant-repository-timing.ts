import type { NewPlant } from '../plant.ts';
import type { PlantStore } from '../plant-repository.ts';
import { BrokenPromise, type Clause, show, type Tools, within } from './contract.ts';
import {
  addFresh,
  expectExists,
  expectStored,
  expectUnavailable,
  inOpenStore,
  inPreparedStore,
  required,
} from './expectations.ts';
import type { PreparedStore, StoreUnderTest } from './store-under-test.ts';

/** When it is answered, and the operator's side: PR-10 to PR-15. */
export const timingClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-10',
    title: 'what was answered is there after the store is closed and opened again',
    promisedBy: (subject) => subject.promises.durable,
    check: (subject) =>
      inPreparedStore(subject, async (prepared) => {
        const plants = somePlants(50);
        const first = await prepared.open();
        await Promise.all(plants.map((plant) => addFresh(first, plant)));
        await first.close();
        await expectAllStored(prepared, plants, 'added 50 plants, closed the store and opened it again');
      }),
  },
  {
    id: 'PR-11',
    title: 'what was answered is there after the process was killed',
    promisedBy: (subject) => subject.promises.survivesCrash,
    check: (subject) =>
      inPreparedStore(subject, async (prepared) => {
        const addUntilKilled = required(prepared.addUntilKilled?.bind(prepared), 'addUntilKilled', 'survivesCrash');
        const answered = await addUntilKilled(somePlants(5_000));
        if (answered.length === 0)
          throw new BrokenPromise(
            'called addUntilKilled()',
            'no plant was answered',
            'at least one is answered before the kill',
          );
        await expectAllStored(
          prepared,
          answered,
          `killed a process after ${answered.length} of its plants were answered`,
        );
      }),
  },
  {
    id: 'PR-12',
    title: 'a store that cannot answer throws StoreUnavailable within its bound, and never hangs',
    promisedBy: (subject) => subject.promises.external,
    check: (subject, tools) =>
      inOutage(subject, async (store) => {
        const calls = somePlants(20).map((plant) =>
          expectUnavailableInTime(subject, tools, `added ${show(plant)} while the store cannot answer`, () =>
            store.plants.add(plant),
          ),
        );
        await Promise.all(calls);
      }),
  },
  {
    id: 'PR-13',
    title: 'once the store can answer again, adds succeed again by themselves',
    promisedBy: (subject) => subject.promises.external,
    check: (subject, tools) =>
      inOutage(subject, async (store, endOutage) => {
        const plant = { id: 1n, name: 'Fern' };
        await Promise.all(somePlants(20).map((other) => store.plants.add(other).catch(() => {})));
        await endOutage();
        await eventually(tools, 5_000, async () => {
          // The add that failed may have been stored after all: either answer shows that the store is back.
          const result = await store.plants.add(plant);
          if (result.outcome === 'exists') expectExists(result, plant, `added ${show(plant)} again after the outage`);
        });
      }),
  },
  {
    id: 'PR-14',
    title: 'check resolves while the store can answer, and throws StoreUnavailable within its bound while it cannot',
    check: async (subject, tools) => {
      const did = 'called check() on an open store that can answer';
      await inOpenStore(subject, (store) => within(subject.promises.answersWithinMs, tools, did, store.check()));
      if (!subject.promises.external) return;
      await inOutage(subject, (store) =>
        expectUnavailableInTime(subject, tools, 'called check() while the store cannot answer', () => store.check()),
      );
    },
  },
  {
    id: 'PR-15',
    title: 'close lets what is in flight finish, may be called again, and later calls throw StoreUnavailable',
    check: (subject, tools) =>
      inPreparedStore(subject, async (prepared) => {
        const store = await prepared.open();
        const inFlight = somePlants(50).map((plant) => store.plants.add(plant));
        const closing = [store.close(), store.close()];
        const results = await Promise.allSettled(inFlight);
        const failed = results.find((result) => result.status === 'rejected');
        if (failed)
          throw new BrokenPromise(
            'added 50 plants and called close() before they were answered',
            `one threw ${show(failed.reason)}`,
            'all are answered',
          );
        await within(10_000, tools, 'called close() twice at once', Promise.all(closing));
        await within(10_000, tools, 'called close() on a closed store', store.close());
        await expectUnavailable('called add() on a closed store', () => store.plants.add({ id: 1_000n, name: 'late' }));
        await expectUnavailable('called check() on a closed store', () => store.check());
      }),
  },
];

function somePlants(count: number): NewPlant[] {
  return Array.from({ length: count }, (_, at) => ({ id: BigInt(at) * 7_919n, name: `plant ${at}`, tag: `tag ${at}` }));
}

async function expectAllStored(prepared: PreparedStore, plants: readonly NewPlant[], did: string): Promise<void> {
  const store = await prepared.open();
  try {
    for (const plant of plants) await expectStored(store, plant, did);
  } finally {
    await store.close();
  }
}

/** Opens a store, adds a plant so that it is warm, starts an outage, and ends it whatever happens. */
async function inOutage(
  subject: StoreUnderTest,
  use: (store: PlantStore, endOutage: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await inPreparedStore(subject, async (prepared) => {
    const startOutage = required(prepared.startOutage?.bind(prepared), 'startOutage', 'external');
    const store = await prepared.open();
    await addFresh(store, { id: -1n, name: 'before the outage' });
    const end = await startOutage();
    let ended = false;
    const endOutage = async () => {
      if (!ended) await end();
      ended = true;
    };
    try {
      await use(store, endOutage);
    } finally {
      await endOutage();
      await store.close();
    }
  });
}

async function expectUnavailableInTime(
  subject: StoreUnderTest,
  tools: Tools,
  did: string,
  call: () => Promise<unknown>,
): Promise<void> {
  // The bound is the store's own; the slack is for the machine that the test runs on.
  await within(subject.promises.answersWithinMs + 500, tools, did, expectUnavailable(did, call));
}

async function eventually(tools: Tools, ms: number, attempt: () => Promise<void>): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof BrokenPromise) throw error;
      if (waited >= ms)
        throw new BrokenPromise(
          `tried again for ${ms} ms after the outage had ended`,
          `the last attempt threw ${show(error)}`,
          'adds succeed again',
        );
      await tools.sleep(50);
    }
  }
}
