import { type Clause, ContractViolation, eventually, methodsOf, show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { addPlant, expectSame } from '../expectations.ts';
import { closeQuietly, type Fixture, SLACK_MS, withFixture } from '../fixture.ts';
import type { Database } from '../model/database.ts';
import type { StoreMutation } from '../model/model-store.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** The figures for an observer: PR-21. */
export const observerClauses: readonly Clause<StoreHarness, StoreMutation>[] = [
  {
    id: 'PR-21',
    since: '2026-12',
    title: 'the figures that an observer gets are right',
    appliesTo: ({ capabilities }) => capabilities.observed,
    check: withFixture(async (fixture) => {
      const recorded = new RecordingObserver();
      const store = await fixture.open('opened a store with an observer', recorded.observer);
      try {
        await checkWithoutFaults(store, recorded, fixture);
        if (fixture.capabilities.external) await checkWithOutage(store, recorded, fixture);
      } finally {
        await closeQuietly(store);
      }
    }),
    // More than two: one for each figure, for when the observer gets it, and how.
    mutants: {
      'reports a write some time after its adds have returned': reporting((observer, { sleep }) => ({
        wrote: (...write) => void sleep(10).then(() => observer.wrote(...write)),
      })),
      'reports no write that failed': reporting((observer) => ({
        wrote: (outcome, ...write) => (outcome === 'done' ? observer.wrote(outcome, ...write) : undefined),
      })),
      'calls a method of its observer without the observer': reporting(({ wrote }) => ({ wrote })),
      'reports milliseconds instead of seconds': reporting((observer) => ({
        wrote: (outcome, plants, seconds) => observer.wrote(outcome, plants, seconds * 1_000),
      })),
      'counts the first attempt of a write as a retry': beforeWrites((observer) => observer.retried()),
      'reports the maximum of waiting adds instead of their number': reporting((observer) => ({
        watchWaiting(count) {
          let most = 0;
          observer.watchWaiting(() => (most = Math.max(most, count() + 1)));
        },
      })),
      'reports a closed circuit half a minute after adds succeed again': closingLate(30_000),
      'counts closed connections as idle': reporting((observer) => ({
        watchConnections: (connections) =>
          observer.watchConnections(() => ({ ...connections(), idle: connections().max + 1 })),
      })),
      'counts a write in flight as failed': beforeWrites((observer) => observer.wrote('failed', 1, 0.001)),
    },
  },
];

async function checkWithoutFaults(store: PlantStore, recorded: RecordingObserver, fixture: Fixture): Promise<void> {
  const expectCounted = async (action: string, plants: readonly NewPlant[], min: number) => {
    const before = recorded.plants('done');
    await Promise.all(plants.map((plant) => addPlant(store, plant, action)));
    recorded.expectDone(action, before, min, plants.length);
    expectSame(`${action}; what the observer got`, { failed: 0 }, { failed: recorded.plants('failed') });
  };
  for (const action of ['added 50 plants', 'added them again']) await expectCounted(action, plainPlants(50), 50);
  expectSame('added 50 plants twice; what the observer got', { retries: 0 }, { retries: recorded.retries });
  // The store chooses how many adds of one id it writes together and counts as one plant.
  const rivals = plainPlants(30, 100).map((plant, at) => ({ ...plant, id: BigInt(-1 - (at % 3)) }));
  await expectCounted('added ten plants at once under each of three new ids', rivals, 3);
  await recorded.expectConsistent('added 130 plants', fixture);
}

async function checkWithOutage(store: PlantStore, recorded: RecordingObserver, fixture: Fixture): Promise<void> {
  const { timeoutMs } = fixture.capabilities;
  const action = 'added a plant in an outage';
  await fixture.during('startOutage', async () => {
    await store.plants.add(plainPlant(1_000)).catch(() => {});
    // The add may return a little before its write ends.
    await eventually(fixture.tools, action, async () => {
      if (recorded.plants('failed') === 0) throw new Error('the observer got no failed write');
    });
  });
  const wrong = recorded.writes.find(({ seconds }) => !(seconds > 0 && seconds <= (timeoutMs + SLACK_MS) / 1_000));
  const range = `seconds: more than 0, and no more than the time-out of ${timeoutMs} ms`;
  if (wrong) throw violation(action, `a write that took ${wrong.seconds}`, range);

  const recovered = `${action}, ended the outage, and added another one`;
  const before = recorded.plants('done');
  await eventually(fixture.tools, recovered, () => store.plants.add(plainPlant(1_001)));
  recorded.expectDone(recovered, before, 1, Number.POSITIVE_INFINITY);
  await recorded.expectConsistent(recovered, fixture);
}

/** Records the figures of a store. */
class RecordingObserver {
  readonly writes: { outcome: 'done' | 'failed'; plants: number; seconds: number }[] = [];
  retries = 0;
  readonly #circuit: string[] = [];
  readonly #waiting: (() => number)[] = [];
  readonly #connections: (() => ConnectionFigures)[] = [];
  /** Whether the store called a method without its object, which would fail for an observer of a class. */
  #isDetached = false;
  readonly observer: StoreObserver = this.#detectDetached({
    watchWaiting: (count) => void this.#waiting.push(count),
    watchConnections: (connections) => void this.#connections.push(connections),
    wrote: (outcome, plants, seconds) => void this.writes.push({ outcome, plants, seconds }),
    retried: () => {
      this.retries += 1;
    },
    circuit: (state) => void this.#circuit.push(state),
  });

  #detectDetached(methods: StoreObserver): StoreObserver {
    const recorder = this;
    const detecting = (method: (...given: unknown[]) => void) =>
      function (this: unknown, ...given: unknown[]) {
        recorder.#isDetached ||= this !== recorder.observer;
        method(...given);
      };
    const entries = Object.entries(methods).map(([name, method]) => [name, detecting(method)]);
    return Object.fromEntries(entries);
  }

  plants(of: 'done' | 'failed'): number {
    return this.writes.reduce((sum, { outcome, plants }) => sum + (outcome === of ? plants : 0), 0);
  }

  expectDone(action: string, before: number, min: number, max: number): void {
    const stored = this.plants('done') - before;
    if (stored < min || stored > max)
      throw violation(action, `${stored} more stored plants in writes`, `${min} to ${max}`);
  }

  /** Expects consistent figures while adds succeed. Part of a store may have a circuit of its own, which closes a little later. */
  async expectConsistent(action: string, { tools }: Fixture): Promise<void> {
    if (this.#isDetached)
      throw violation(action, 'a call without its object', 'calls of its methods as methods: it may be of a class');
    const waiting = this.#waiting.map((count) => count());
    expectSame(`${action}; what the observer got`, { waiting: [0] }, { waiting });
    await eventually(tools, action, async () => {
      const states = this.#circuit.join(', ');
      if (!/^((closed, open, )*closed)?$/.test(states))
        throw new Error(`the observer got a circuit that was ${states}`);
    });
    const connections = this.#connections.map((figures) => figures());
    const isValid = ({ used, idle, pending, max }: ConnectionFigures) =>
      [used, idle, pending].every((each) => Number.isInteger(each) && each >= 0) && used + idle <= max;
    if (!connections.every(isValid) || connections.length > 1)
      throw violation(action, `connections ${show(connections)}`, 'one pool: no more than max are used or idle');
  }
}

function violation(action: string, actual: string, expected: string): ContractViolation {
  return new ContractViolation(action, `the observer got ${actual}`, expected);
}

/** A store that calls these methods in place of its observer's. */
function reporting(change: (observer: StoreObserver, database: Database) => Partial<StoreObserver>): StoreMutation {
  return ({ observe }, { database }) => ({
    observe(observer) {
      observe(Object.assign({}, methodsOf(observer), change(observer, database)) as StoreObserver);
    },
  });
}

/** A store that makes this call before it reports a write. */
function beforeWrites(call: (observer: StoreObserver) => void): StoreMutation {
  return reporting((observer) => ({
    wrote(...write) {
      call(observer);
      observer.wrote(...write);
    },
  }));
}

/** A store that reports a closed circuit late. */
export function closingLate(ms: number): StoreMutation {
  return reporting((observer, { sleep }) => {
    let isFirst = true;
    return {
      circuit(state) {
        if (isFirst || state === 'open') observer.circuit(state);
        else void sleep(ms).then(() => observer.circuit(state));
        isFirst = false;
      },
    };
  });
}
