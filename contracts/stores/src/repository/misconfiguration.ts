import { type Clause, show, unlessUnavailable, within } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { addNew, expectThrows, probeFor } from '../expectations.ts';
import { closeQuietly, type Fixture, SLACK_MS, withFixture, withStore } from '../fixture.ts';
import type { Database } from '../model/database.ts';
import type { Operation, StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';
import { expectRecovered } from './outages.ts';

const appliesTo = ({ capabilities }: StoreHarness) => capabilities.durable;

/** Databases that are unsuitable for plants, and settings that cannot work: PR-23 to PR-25. */
export const misconfigurationClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-23',
    since: '2026-12',
    title: 'if plants would be lost or changed, adds and check throw StoreUnavailable, and no store opens',
    appliesTo,
    check: withUnsuitable('makeUnsafe', async (store, plants, fixture) => {
      await expectThrows('called makeUnsafe() and check()', () => store.check());
      await expectNoneAdded(store, plants, 'called makeUnsafe() and check()');
      await expectMisconfigured('called makeUnsafe() and opened another store', () => fixture.prepared.open(), fixture);
    }),
    // More than two: check, adds, stored plants, opening and recovery.
    mutants: {
      'notices changed plants only when check is called': noticingInCheck,
      'checks its database only when it is opened': checkingOnly('changes plants', 'open'),
      'adds none if plants are changed, but is ready': checkingOnly('changes plants', 'open', 'add'),
      'opens if plants are changed': checkingOnly('changes plants', 'check', 'add'),
      'checks whether plants are changed after it has stored them': (correct, store) => ({
        ...checkingOnly('changes plants', 'open', 'check')(correct, store),
        async commit(batch) {
          const outcomes = await correct.commit(batch);
          correct.assertSuitable('add');
          return outcomes;
        },
      }),
      'never adds again once plants were changed': staying('changes plants', 'add'),
    },
  },
  {
    id: 'PR-24',
    since: '2026-12',
    title: 'if every plant would be refused, adds and check throw StoreUnavailable instead of PlantRefused',
    appliesTo,
    check: withUnsuitable('refuseAll', async (store, plants) => {
      await expectNoneAdded(store, plants, 'called refuseAll()');
      await expectThrows('called refuseAll() and check()', () => store.check());
    }),
    // More than two: check, one plant, several plants and recovery.
    mutants: {
      'throws PlantRefused if all plants are refused': checkingOnly('refuses plants', 'open', 'check'),
      'checks its database for a single plant, and throws PlantRefused for several': (correct, store) => ({
        ...checkingOnly('refuses plants', 'open', 'check')(correct, store),
        async write(batch) {
          if (batch.length === 1) correct.assertSuitable('add');
          return correct.write(batch);
        },
        retryAlone: async (batch, reason) =>
          store.database.fault ? batch.map(() => reason) : correct.retryAlone(batch, reason),
      }),
      'is ready if all plants are refused': checkingOnly('refuses plants', 'open', 'add'),
      'is never ready again once all plants were refused': staying('refuses plants', 'check'),
    },
  },
  {
    id: 'PR-25',
    since: '2026-12',
    title: 'opening with a setting that waiting does not fix throws StoreMisconfigured within the time-out',
    appliesTo,
    check: withFixture((fixture) =>
      expectMisconfigured('called openMisconfigured()', fixture.require('openMisconfigured'), fixture),
    ),
    // More than two: it opens, throws another error, or hangs.
    mutants: {
      'opens on a database that does not exist, and is never ready': checkingOnly('does not exist', 'check', 'add'),
      'throws StoreUnavailable if the database does not exist': openingMissing(async () => {
        throw new StoreUnavailable('connect ECONNREFUSED');
      }),
      'retries until the database exists': openingMissing(() => new Promise(() => {})),
    },
  },
];

/**
 * Makes the database of an open store unsuitable, fixes it, and expects that the store recovers and has stored none of the plants.
 * Runs for one plant and for several, because stores write several by another code path, and may check the database in one only.
 */
function withUnsuitable(
  fault: 'makeUnsafe' | 'refuseAll',
  use: (store: PlantStore, plants: readonly NewPlant[], fixture: Fixture) => Promise<void>,
): Clause<StoreHarness>['check'] {
  return withStore(async (store, fixture) => {
    await addNew(store, plainPlant(1));
    for (const plants of [plainPlants(1, 10), plainPlants(5, 20)]) {
      await duringAdds(fault, store, plants, fixture, () => use(store, plants, fixture));
      await expectRecovered(store, fixture, `called ${fault}(), and the function that it had resolved with`);
      for (const plant of plants.map(probeFor)) await addNew(store, plant);
    }
  });
}

/** Makes the database unsuitable. If the store has to notice that by itself, that happens beside adds, which must begin to throw. */
async function duringAdds(
  fault: 'makeUnsafe' | 'refuseAll',
  store: PlantStore,
  plants: readonly NewPlant[],
  fixture: Fixture,
  use: () => Promise<void>,
): Promise<void> {
  const { unsafeAddsForMs } = fixture.capabilities;
  if (fault === 'refuseAll' || unsafeAddsForMs === undefined) return fixture.during(fault, use);
  const adding = new SteadyAdds(store, fixture, 1_000 * plants.length);
  const notice = async () => {
    await adding.untilRejected(unsafeAddsForMs);
    await expectNoneAdded(store, plants, 'called makeUnsafe() beside adds until they threw');
    await use();
  };
  await fixture.during(fault, notice).finally(() => adding.stop());
}

/** Adds plants as four clients, one after the other each. */
class SteadyAdds {
  readonly #store: PlantStore;
  readonly #fixture: Fixture;
  readonly #clients: Promise<unknown>;
  #next: number;
  #isEnding = false;
  #isStopped = false;

  /** @param first the number of the first plant. */
  constructor(store: PlantStore, fixture: Fixture, first: number) {
    this.#store = store;
    this.#fixture = fixture;
    this.#next = first;
    this.#clients = Promise.all(Array.from({ length: 4 }, () => this.#addAll()));
    // A failure matters only if the adds are awaited.
    this.#clients.catch(() => {});
  }

  /** Expects that an add of each client throws StoreUnavailable, which then ends. */
  async untilRejected(withinMs: number): Promise<void> {
    this.#isEnding = true;
    const action = 'called makeUnsafe() beside adds, without a call of check()';
    const expected = `adds throw StoreUnavailable within ${withinMs} ms`;
    await within(withinMs + SLACK_MS, this.#fixture.tools, action, this.#clients, expected);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #addAll(): Promise<void> {
    while (!this.#isStopped) {
      const mustThrow = this.#isEnding;
      const plant = plainPlant(this.#next++);
      const action = () => `called makeUnsafe() beside adds, and added ${show(plant)}`;
      const result = await unlessUnavailable(action, () => this.#store.plants.add(plant), StoreUnavailable);
      if (mustThrow && !result) return;
      await this.#fixture.tools.sleep(5);
    }
  }
}

async function expectNoneAdded(store: PlantStore, plants: readonly NewPlant[], action: string): Promise<void> {
  const add = (plant: NewPlant) => expectThrows(`${action}, and added ${show(plant)}`, () => store.plants.add(plant));
  await Promise.all(plants.map(add));
}

async function expectMisconfigured(action: string, open: () => Promise<PlantStore>, fixture: Fixture): Promise<void> {
  const opening = open().then(closeQuietly);
  await expectThrows(action, () => fixture.inTime(action, opening, 'it throws StoreMisconfigured'), StoreMisconfigured);
}

type Fault = Database['fault'];

/** Checks for the fault before these operations only. */
function checkingOnly(fault: Fault, ...operations: readonly Operation[]): StoreMutation {
  return ({ assertSuitable }, { database }) => ({
    assertSuitable: (before) => (database.fault === fault && !operations.includes(before)) || assertSuitable(before),
  });
}

/** Notices changed plants in `check` alone, and adds none until a later check succeeds. */
export function noticingInCheck(...[{ assertSuitable }, { database }]: Parameters<StoreMutation>) {
  let isSuitable = true;
  return {
    assertSuitable(before: Operation) {
      if (before === 'add' && isSuitable && database.fault === 'changes plants') return;
      isSuitable = before === 'add' && isSuitable;
      assertSuitable(before);
      isSuitable = true;
    },
  };
}

/** Never recovers from the fault in this operation. */
function staying(fault: Fault, operation: Operation): StoreMutation {
  return ({ assertSuitable }, { database }) => {
    let isUnsuitable = false;
    return {
      assertSuitable(before) {
        isUnsuitable ||= database.fault === fault;
        if (isUnsuitable && before === operation) throw new StoreMisconfigured(`the database ${fault}`);
        assertSuitable(before);
      },
    };
  };
}

/** Opens a database that does not exist like this. */
function openingMissing(open: () => Promise<void>): StoreMutation {
  return (correct, { database }) => ({
    open: () => (database.fault === 'does not exist' ? open() : correct.open()),
  });
}
