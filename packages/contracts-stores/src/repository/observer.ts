import { type Clause, ContractViolation, eventually, resolved, show, type Tools } from '@plant-store/contracts-kit';
import { type ConnectionFigures, type PlantStore, type StoreObserver, StoreUnavailable } from '@plant-store/domain';
import { openBounded, SLACK_MS } from '../bounded-store.ts';
import { closeQuietly, inPreparedStore, required } from '../prepared-store.ts';
import { plainPlant, plainPlants } from '../samples/plants.ts';
import type { PreparedStore, StoreHarness } from '../store-harness.ts';

/** What an observer is told: PR-21. */
export const observerClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-21',
    title: 'the figures that an observer gets are right',
    appliesTo: ({ capabilities }) => capabilities.observed,
    check: (harness, tools) =>
      inPreparedStore(harness, async (prepared) => {
        const told = new Told();
        const store = await openBounded(harness, prepared, tools, 'opened a store with an observer', told.observer);
        try {
          await whileItAnswers(store, told);
          if (harness.capabilities.external) await aroundAnOutage(store, told, harness, prepared, tools);
        } finally {
          await closeQuietly(store);
        }
      }),
  },
];

/** Whether an add throws is for other clauses to check: then there is nothing to count here. */
async function whileItAnswers(store: PlantStore, told: Told): Promise<void> {
  const plants = plainPlants(50);
  const action = 'added 50 plants at once, and the first of them again';
  const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
  results.push(...(await Promise.allSettled(plants.slice(0, 1).map((plant) => store.plants.add(plant)))));
  if (results.some(({ status }) => status === 'rejected')) return;
  const figures = { stored: told.plants('stored'), failed: told.plants('failed'), retries: told.retries };
  expectFigures(action, figures, { stored: results.length, failed: 0, retries: 0 });
  told.expectNoneWaits(action);
  told.expectSound(action);
}

async function aroundAnOutage(
  store: PlantStore,
  told: Told,
  { capabilities: { timeoutMs } }: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
): Promise<void> {
  const startOutage = required(prepared, 'startOutage', 'external');
  const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
  const inOutage = 'added a plant while the store cannot answer';
  let error: unknown;
  try {
    error = await store.plants.add(plainPlant(1_000)).catch((thrown: unknown) => thrown);
    // The add and its write may end at the same moment, in either order.
    await tools.sleep(0);
  } finally {
    await resolved('ended the outage', end, 'it ends');
  }
  if (!(error instanceof StoreUnavailable)) return;
  if (told.plants('failed') === 0) throw violation(inOutage, 'no write that failed', 'one that failed, with the plant');
  const wrong = told.writes.find(({ seconds }) => !(seconds > 0 && seconds <= (timeoutMs + SLACK_MS) / 1_000));
  const range = `seconds: more than 0, and no more than the time-out of ${timeoutMs} ms`;
  if (wrong) throw violation(inOutage, `a write that took ${wrong.seconds}`, range);

  const action = `${inOutage}, ended the outage, and added another one`;
  const before = told.plants('stored');
  const again = eventually(tools, action, () => store.plants.add(plainPlant(1_001)));
  if (!(await again.then(() => true).catch(() => false))) return;
  if (told.plants('stored') === before) throw violation(action, 'no write that was stored', 'one, with the plant');
  told.expectNoneWaits(action);
  told.expectSound(action);
}

/** An observer, and what it was told. */
class Told {
  readonly writes: { outcome: 'stored' | 'failed'; plants: number; seconds: number }[] = [];
  retries = 0;
  readonly #circuit: string[] = [];
  readonly #waiting: (() => number)[] = [];
  readonly #connections: (() => ConnectionFigures)[] = [];
  readonly observer: StoreObserver = {
    watchWaitingAdds: (count) => void this.#waiting.push(count),
    watchConnections: (connections) => void this.#connections.push(connections),
    wrote: (outcome, plants, seconds) => void this.writes.push({ outcome, plants, seconds }),
    retried: () => {
      this.retries += 1;
    },
    circuit: (state) => void this.#circuit.push(state),
  };

  plants(of: 'stored' | 'failed'): number {
    return this.writes.reduce((sum, { outcome, plants }) => sum + (outcome === of ? plants : 0), 0);
  }

  expectNoneWaits(action: string): void {
    expectFigures(
      action,
      this.#waiting.map((count) => count()),
      [0],
    );
  }

  /** What is so at any time at which adds succeed. */
  expectSound(action: string): void {
    const inTurn = this.#circuit.every((state, at) => state === (at % 2 === 0 ? 'closed' : 'open'));
    if (!inTurn || this.#circuit.at(-1) === 'open')
      throw violation(
        action,
        `a circuit that was ${this.#circuit.join(', ')}`,
        'closed at first, then open and closed in turn, and closed when adds succeed',
      );
    if (this.#connections.length > 1)
      throw violation(action, `${this.#connections.length} pools of connections`, 'one, or none');
    for (const figures of this.#connections.map((connections) => connections())) {
      const { used, idle, pending, max } = figures;
      const isSound = [used, idle, pending].every((each) => Number.isInteger(each) && each >= 0) && used + idle <= max;
      if (!isSound) throw violation(action, `connections ${show(figures)}`, 'no more than max are used or idle');
    }
  }
}

function expectFigures(action: string, actual: object, expected: object): void {
  if (show(actual) !== show(expected)) throw violation(action, show(actual), show(expected));
}

function violation(action: string, told: string, expected: string): ContractViolation {
  return new ContractViolation(action, `the observer was told of ${told}`, expected);
}
