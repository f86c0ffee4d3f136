import { type Clause, eventually, show, type Tools, unlessUnavailable, within } from '@plant-store/contracts-kit';
import { type AddResult, type NewPlant, type Plant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectExists, expectStored, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, SLACK_MS, withStore } from '../fixture.ts';
import type { Database } from '../model/database.ts';
import { ADDED, type StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.external;

/** Outages, and the recovery after them: PR-12, PR-13, PR-17, PR-19 and PR-22. */
export const outageClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-12',
    shows: 'P4/F3',
    title: 'a store that cannot answer throws StoreUnavailable within its time-out, and never hangs',
    appliesTo,
    check: inOutage(async (store) => {
      const adding = plainPlants(20, 100).map((plant) => {
        const action = `added ${show(plant)} while the store cannot answer`;
        const add = () => expectThrows(action, () => store.plants.add(plant));
        // The second call must not get `exists` for a plant that still waits to be stored.
        return Promise.all([add(), add()]);
      });
      await Promise.all(adding);
    }),
    mutants: {
      'waits for one of ten connections without a time-out': ({ add }, store) => ({
        async add(plant) {
          const asked = { ...plant };
          while (store.acquired === 10) await store.database.sleep(1);
          store.acquired += 1;
          return add(asked).finally(() => (store.acquired -= 1));
        },
      }),
      'throws an error of its driver': failing(() => new Error('timeout exceeded when trying to connect')),
      'returns `added` in an outage, and stores the plant after it': ({ add }, { database }) => ({
        add(plant) {
          const result = add(plant);
          if (!database.outage) return result;
          result.catch(() => {});
          return Promise.resolve(ADDED);
        },
      }),
    },
  },
  {
    id: 'PR-13',
    shows: 'P3/F3 P5/F3',
    title: 'once the store can answer again, adds succeed without intervention',
    appliesTo,
    check: inOutage(async (store, { tools }, end) => {
      const failed = plainPlants(20, 100);
      // Readiness probes continue in an outage. They must not use up the connections for adds.
      await Promise.allSettled([...failed.map((plant) => store.plants.add(plant)), ...checksAtOnce(store)]);
      await end();
      const action = 'added 20 plants at once after an outage, under ids whose adds failed in it';
      const holders = new Map<NewPlant, Plant>();
      const addRival = async (plant: NewPlant) => {
        const rival = { ...plant, name: `${plant.name}, rival` };
        const result = await store.plants.add(rival);
        // The first plant known to have the id must keep it, even if another add throws and all adds are repeated.
        if (!holders.has(plant)) holders.set(plant, result.outcome === 'added' ? rival : result.plant);
      };
      const found = () => [...holders].map(([{ id }, holder]) => ({ ...holder, id }));
      await eventually(tools, action, async () => {
        const adding = failed.map(addRival);
        await Promise.allSettled(adding);
        await Promise.all(adding);
        for (const plant of found())
          expectExists(await store.plants.add(probeFor(plant)), plant, `${action}, then ${show(probeFor(plant))}`);
      });
      await tools.sleep(LATE_WRITES_MS);
      for (const plant of found())
        await expectStored(store, plant, `${action}; then ${show(plant)} was stored, and ${LATE_WRITES_MS} ms later`);
    }),
    mutants: {
      'never releases the connection of an add that failed': ({ withTimeout, enqueue }, store) => ({
        async enqueue(plant) {
          const result = await store.acquire().then(() => withTimeout(enqueue(plant)));
          store.acquired -= 1;
          return result;
        },
      }),
      'returns each result to the next call once one was late': ({ enqueue }, { database }) => {
        let late: Promise<AddResult> | undefined;
        return {
          enqueue(plant) {
            const result = enqueue(plant);
            const returned = late ?? result;
            if (database.outage || late) late = result;
            return returned;
          },
        };
      },
      'queues adds that fail in an outage, and overwrites later plants with them': ({ add }, { database }) => ({
        async add(plant) {
          if (!database.outage) return add(plant);
          void database.outage.then(() => database.sleep(500)).then(() => database.overwrite(plant));
          throw new StoreUnavailable('the database is out of reach');
        },
      }),
    },
  },
  {
    id: 'PR-17',
    shows: 'P5/F3',
    title:
      'while the store cannot answer and plants arrive, check throws StoreUnavailable within a second and its time-out, and resolves once it can',
    appliesTo,
    check: inOutage(async (store, fixture, end) => {
      const { tools } = fixture;
      const action = 'called check() while the store cannot answer';
      await expectUnready(store, fixture, action);
      await Promise.all(checksAtOnce(store).map((checking) => expectThrows(action, () => checking)));
      await end();
      // A store may need an add to notice that its connections are lost.
      await expectReadyAgain(store, tools, 'the outage ended');
    }),
    mutants: {
      'looks at its database every ten seconds, however many plants arrive': ({ check }, { database }) => {
        let latest: Promise<void> | undefined;
        return {
          async check() {
            if (!latest) void database.sleep(10_000).then(() => (latest = undefined));
            latest ??= check();
            await latest;
          },
        };
      },
      'never releases one of its ten connections for checks if the check failed': (correct, store) => ({
        async check() {
          await correct.withTimeout(store.acquire());
          await correct.check();
          store.acquired -= 1;
        },
      }),
    },
  },
  {
    id: 'PR-19',
    shows: 'P5/F3',
    title: 'opening in an outage resolves or throws StoreUnavailable within the time-out, and what it opened recovers',
    appliesTo,
    check: inOutage(async (_, fixture, end) => {
      const action = 'opened a store while it cannot answer';
      const opening = fixture.prepared.open();
      let opened: PlantStore | undefined;
      try {
        const inTime = () => fixture.inTime(action, opening, 'it resolves, or throws StoreUnavailable');
        await unlessUnavailable(action, inTime, StoreUnavailable);
        await end();
        await eventually(fixture.tools, `${action}, ended the outage, and added a plant`, async () => {
          // Opens another store if the first one threw StoreUnavailable.
          opened ??= fixture.limited(await opening.catch(() => fixture.open()));
          await opened.plants.add(plainPlant(3));
        });
      } finally {
        await end();
        await (opened ? closeQuietly(opened) : opening.then(closeQuietly, () => {}));
      }
    }),
    mutants: {
      'connects without a time-out when it is opened': (_, { database }) => ({ open: () => database.roundTrip() }),
      'never recovers if it was opened in an outage': ({ close }, { database }) => ({
        open: async () => (database.outage ? close() : undefined),
      }),
    },
  },
  {
    id: 'PR-22',
    shows: 'P5/F3',
    title:
      'while no commit is durable and plants arrive, check throws StoreUnavailable within a second and its time-out, and resolves once one is',
    appliesTo: ({ capabilities }) => capabilities.survivesServerCrash,
    check: withStore(async (store, fixture) => {
      await addNew(store, plainPlant(1));
      const action = 'called check() while no commit was durable';
      await fixture.during('failCommits', () => expectUnready(store, fixture, action));
      await expectReadyAgain(store, fixture.tools, 'commits were durable again');
    }),
    mutants: {
      'checks readiness without a durable commit': ({ assertOpen, withTimeout }, { database }) => ({
        async check() {
          assertOpen('check');
          await withTimeout(database.roundTrip());
        },
      }),
    },
  },
];

/** The check of a clause with an outage that begins while a used store has adds in flight. */
function inOutage(
  use: (store: PlantStore, fixture: Fixture, end: () => Promise<void>) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return withStore(async (store, fixture) => {
    await addNew(store, plainPlant(1));
    await store.check().catch(() => {});
    const inFlight = Promise.allSettled(plainPlants(20, 10).map((plant) => store.plants.add(plant)));
    await fixture.during('startOutage', (end) => use(store, fixture, end));
    await inFlight;
  });
}

/**
 * Expects that check throws StoreUnavailable while plants arrive, within a second and the time-out of the store. A store looks at
 * its database once a second, and less often while nothing arrives. What it does with these plants until then is not promised.
 */
export async function expectUnready(store: PlantStore, fixture: Fixture, action: string): Promise<void> {
  const { tools, capabilities } = fixture;
  const adding: Promise<unknown>[] = [];
  let isOver = false;
  const untilItThrows = async () => {
    while (!isOver) {
      adding.push(store.plants.add(plainPlant(900_000 + adding.length)).catch(() => {}));
      if (!(await unlessUnavailable(action, () => store.check(), StoreUnavailable))) return;
      await tools.sleep(50);
    }
  };
  const limitMs = CHECKED_WITHIN_MS + capabilities.timeoutMs;
  try {
    const expected = `it throws StoreUnavailable within ${limitMs} ms, while plants are added`;
    await within(limitMs + SLACK_MS, tools, action, untilItThrows(), expected);
  } finally {
    isOver = true;
    await Promise.all(adding);
  }
}

/** Expects that a store adds a plant and is ready, soon after this has happened. */
export async function expectReadyAgain(store: PlantStore, tools: Tools, what: string): Promise<void> {
  await eventually(tools, `${what}, and added a plant`, () => store.plants.add(plainPlant(2)));
  await eventually(tools, `${what}, and called check()`, () => store.check());
}

/** How old the latest look of a store at its database may be while plants arrive. */
const CHECKED_WITHIN_MS = 1_000;

/** Calls check as often as uses up a usual pool of connections. Sequential calls would each take the time-out. */
function checksAtOnce(store: PlantStore): Promise<void>[] {
  return Array.from({ length: 30 }, () => store.check());
}

/** How long to wait for the late writes of a store that queues failed adds in an outage. */
const LATE_WRITES_MS = 1_000;

/** A store that throws this error in an outage, or while something else is wrong. */
export function failing(
  errorFor: (plant: NewPlant) => Error,
  isWrong: (database: Database) => unknown = ({ outage }) => outage,
): StoreMutation {
  return ({ add }, { database }) => ({
    add: (plant) =>
      add(plant).catch((error) => {
        throw isWrong(database) ? errorFor(plant) : error;
      }),
  });
}
