import { type Clause, ContractViolation, resolved, show } from '@plant-store/contracts-kit';
import { type NewPlant, PlantRefused, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectThrows } from '../expectations.ts';
import { closeQuietly, withFixture, withStore } from '../fixture.ts';
import type { StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { failing } from './outages.ts';

/** Readiness without faults, closing, and what errors show: PR-14, PR-15 and PR-20. */
export const lifecycleClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-14',
    shows: 'P5',
    title: 'check resolves while the store can answer',
    check: withStore(async (store) => {
      const expectReady = (action: string) => resolved(action, () => store.check(), 'it resolves');
      // If each call leaks a connection, this uses up a usual pool.
      for (let time = 1; time <= 30; time += 1) await expectReady(`called check() on an open store, time ${time}`);
      await addNew(store, plainPlant(100), 'called check() 30 times, then added a plant');
      const adding = Promise.allSettled(plainPlants(50).map((plant) => store.plants.add(plant)));
      await expectReady('called check() while 50 adds were in flight');
      await adding;
    }),
    mutants: {
      'checks readiness by reading a plant, and so is never ready without plants': ({ check }, { database }) => ({
        async check() {
          await check();
          await database.roundTrip();
          if (database.rows.size === 0) throw new StoreUnavailable('no row returned');
        },
      }),
      'acquires one of ten connections for each check, and never releases it': ({ check }, store) => ({
        check: () => store.acquire().then(check),
      }),
    },
  },
  {
    id: 'PR-15',
    shows: 'P9',
    title: 'close lets adds in flight finish, may be called again, and later calls throw StoreUnavailable',
    check: withStore(async (store, { tools }) => {
      let pending = 50;
      const inFlight = plainPlants(pending).map(async (plant) => {
        const action = `added ${show(plant)} and called close() before it returned`;
        await resolved(action, () => store.plants.add(plant), 'it resolves: close lets it finish');
        pending -= 1;
      });
      const action = 'called close() while 50 adds were in flight';
      const closing = resolved(action, () => store.close(), 'it resolves').then(async () => {
        // The last add and close may return at the same moment, in either order.
        await tools.sleep(0);
        const actual = `it resolved while ${pending} of them were pending`;
        if (pending > 0) throw new ContractViolation(action, actual, 'it lets them finish first');
      });
      const steps = [closing, ...inFlight, expectClosed(store, 'after close() was called and before it had resolved')];
      // Reports the first failure of the list, not the earliest.
      await Promise.allSettled(steps);
      await Promise.all(steps);
      await expectClosed(store, 'on a closed store');
    }),
    mutants: {
      'does not wait for adds in flight when it is closed': (_, store) => ({
        async close() {
          store.closed = true;
        },
      }),
      'throws if it is closed twice': ({ close }, store) => ({
        async close() {
          if (store.closed) throw new Error('called end on pool more than once');
          await close();
        },
      }),
      'connects again for an add after close': ({ assertOpen }) => ({
        assertOpen: (before) => before === 'add' || assertOpen(before),
      }),
      'is ready after close': ({ assertOpen }) => ({
        assertOpen: (before) => before === 'check' || assertOpen(before),
      }),
    },
  },
  {
    id: 'PR-20',
    shows: 'P7',
    title:
      'what a log shows of an error of add has no text of the plant: its message and stack, and those of its causes',
    check: withFixture(async (fixture) => {
      await fixture.refuse(SECRET);
      await fixture.withStore(async (store) => {
        await expectDiscreet(store, SECRET, 'which the store is set up to refuse');
        await closeQuietly(store);
        await expectDiscreet(store, SECRET, 'to a store that is closed');
      });
      if (!fixture.capabilities.external) return;
      await fixture.withStore(async (store) => {
        await addNew(store, plainPlant(100));
        await fixture.during('startOutage', () => expectDiscreetBatch(store, 'in an outage'));
      });
    }),
    mutants: {
      'throws an error whose message shows the row of a refused plant': ({ retryAlone }) => ({
        async retryAlone(batch, reason) {
          if (batch.length > 1) return retryAlone(batch, reason);
          return [new PlantRefused(`Failing row contains (${Object.values(batch[0] ?? {})})`)];
        },
      }),
      'throws an error whose cause shows the parameters of the statement': failing(({ id, name, tag }) => {
        const cause = new Error(`statement timeout: insert into plants, parameters ${[id, name, tag]}`);
        return new StoreUnavailable('no answer', { cause: new Error('in a transaction', { cause }) });
      }),
      'throws an error that shows the plant when it is closed': ({ add }, store) => ({
        async add(plant) {
          if (store.closed) throw new StoreUnavailable(`the store is closed, cannot add ${plant.tag}`);
          return add(plant);
        },
      }),
    },
  },
];

/** Expects that add and check throw StoreUnavailable, and that another call of close resolves. */
async function expectClosed(store: PlantStore, when: string): Promise<void> {
  await Promise.all([
    resolved(`called close() ${when}`, () => store.close(), 'it resolves'),
    expectThrows(`called add() ${when}`, () => store.plants.add(plainPlant(1_000))),
    expectThrows(`called check() ${when}`, () => store.check()),
  ]);
}

/** Its texts appear in no error by chance. */
const SECRET: NewPlant = { id: 4711n, name: 'Zantedeschia aethiopica', tag: 'calla-in-the-cellar' };

/** Expects the same of an add in one batch with others, because an error may show the whole batch. */
export async function expectDiscreetBatch(store: PlantStore, where: string): Promise<void> {
  const others = Promise.allSettled(plainPlants(2).map((plant) => store.plants.add(plant)));
  await expectDiscreet(store, { ...SECRET, id: 4712n }, where);
  await others;
}

/** Expects that an error of an add, if it throws any, shows no text of the plant in a log. */
async function expectDiscreet(store: PlantStore, plant: NewPlant, where: string): Promise<void> {
  const error: unknown = await store.plants.add(plant).then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error instanceof ContractViolation) return;
  const { id: _, ...texts } = plant;
  const shown = loggedTexts(error).find((line) => Object.values(texts).some((text) => line.includes(text)));
  if (shown === undefined) return;
  const actual = `threw an error that shows a text: ${shown.trim()}`;
  throw new ContractViolation(`added ${show(plant)}, ${where}`, actual, 'no text of a plant: errors are logged');
}

/** The lines that a log shows of an error and of its causes. */
function loggedTexts(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  return [...`${error.message}\n${error.stack}`.split('\n'), ...causes.flatMap(loggedTexts)];
}
