import { type Clause, ContractViolation, eventually, resolved, show, type Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type PlantStore, StoreUnavailable } from '@plant-store/domain';
import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { openBounded, SLACK_MS } from '../bounded-store.ts';
import { addNew } from '../expectations.ts';
import { closeQuietly, inPreparedStore, refusedPlantOf, required } from '../prepared-store.ts';
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
        const told = new Told(tools);
        const refused = await refusedPlantOf(prepared);
        const store = await openBounded(harness, prepared, tools, 'opened a store with an observer', told.observer);
        try {
          await whileItAnswers(store, told);
          await whenCallersRace(store, told);
          if (refused) await whenOneIsRejected(store, told, refused);
          if (harness.capabilities.external) await aroundAnOutage(store, told, harness, prepared, tools);
        } finally {
          await closeQuietly(store);
        }
      }),
  },
];

/** Whether many adds throw is for other clauses to check: then there is nothing to count here. */
async function whileItAnswers(store: PlantStore, told: Told): Promise<void> {
  const first = plainPlant(1);
  await addNew(store, first);
  const plants = [first, ...plainPlants(50, 2)];
  const action = 'added a plant, then 50 others and the first again at once';
  const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
  if (results.some(({ status }) => status === 'rejected')) return;
  if (told.writes.length === 0)
    throw violation(action, 'no write', 'all of them: open() of the harness passes the observer on');
  const figures = { stored: told.plants('done'), failed: told.plants('failed'), retries: told.retries };
  expectFigures(action, figures, { stored: 1 + plants.length, failed: 0, retries: 0 });
  told.expectNoneWaits(action);
  await told.expectSound(action);
}

/** How many of the adds are written together, and so count as one plant, is for the store to choose. */
async function whenCallersRace(store: PlantStore, told: Told): Promise<void> {
  const [before, failed] = [told.plants('done'), told.plants('failed')];
  const plants = plainPlants(30, 100).map((plant, at) => ({ ...plant, id: BigInt(-1 - (at % 3)) }));
  const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
  if (results.some(({ status }) => status === 'rejected')) return;
  const action = 'added ten plants at once under each of three new ids';
  told.expectStored(action, before, 3, plants.length);
  expectFigures(action, { failed: told.plants('failed') }, { failed });
  told.expectNoneWaits(action);
}

/** The others may have been in a write that failed before; what counts is that each was in one that was stored. */
async function whenOneIsRejected(store: PlantStore, told: Told, refused: NewPlant): Promise<void> {
  const [before, failed] = [told.plants('done'), told.plants('failed')];
  const good = plainPlants(20, 200);
  const plants = [...good.slice(0, 10), refused, ...good.slice(10)];
  const results = await Promise.allSettled(plants.map((plant) => store.plants.add(plant)));
  const rejected = plants.filter((_, at) => results[at]?.status === 'rejected');
  if (rejected.length !== 1 || rejected[0] !== refused) return;
  const action = 'added 20 plants at once, and among them one that the store is set up to reject';
  told.expectStored(action, before, good.length, plants.length);
  if (told.plants('failed') === failed) told.expectStored(action, before, plants.length, plants.length);
  told.expectNoneWaits(action);
  // Its circuit may have opened.
  await store.plants.add(plainPlant(300)).then(
    () => told.expectSound(`${action}, then another one`),
    () => {},
  );
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
  const before = told.plants('done');
  const again = eventually(tools, action, () => store.plants.add(plainPlant(1_001)));
  if (!(await again.then(() => true).catch(() => false))) return;
  if (told.plants('done') === before) throw violation(action, 'no write that was stored', 'one, with the plant');
  told.expectNoneWaits(action);
  await told.expectSound(action);
}

/** An observer, and what it was told. */
class Told {
  readonly writes: { outcome: 'done' | 'failed'; plants: number; seconds: number }[] = [];
  retries = 0;
  readonly #circuit: string[] = [];
  readonly #tools: Tools;
  readonly #waiting: (() => number)[] = [];
  readonly #connections: (() => ConnectionFigures)[] = [];
  /** Of methods that need their object, as those of a class do. */
  readonly observer: StoreObserver;
  #isDetached = false;

  constructor(tools: Tools) {
    this.#tools = tools;
    const observed = (self: unknown, tell: () => void) => {
      this.#isDetached ||= self !== this.observer;
      tell();
    };
    const [waiting, connected, writes, circuit] = [this.#waiting, this.#connections, this.writes, this.#circuit];
    const retry = () => {
      this.retries += 1;
    };
    this.observer = {
      watchWaiting(count) {
        observed(this, () => waiting.push(count));
      },
      watchConnections(connections) {
        observed(this, () => connected.push(connections));
      },
      wrote(outcome, plants, seconds) {
        observed(this, () => writes.push({ outcome, plants, seconds }));
      },
      retried() {
        observed(this, retry);
      },
      circuit(state) {
        observed(this, () => circuit.push(state));
      },
    };
  }

  plants(of: 'done' | 'failed'): number {
    return this.writes.reduce((sum, { outcome, plants }) => sum + (outcome === of ? plants : 0), 0);
  }

  expectStored(action: string, before: number, least: number, most: number): void {
    const stored = this.plants('done') - before;
    if (stored >= least && stored <= most) return;
    const expected = least === most ? String(least) : `${least} to ${most}`;
    throw violation(action, `${stored} plants more in writes that were stored`, expected);
  }

  expectNoneWaits(action: string): void {
    expectFigures(
      action,
      this.#waiting.map((count) => count()),
      [0],
    );
  }

  /** What is so while adds succeed. A circuit may be that of a part of the store, to which the last plant did not go. */
  async expectSound(action: string): Promise<void> {
    if (this.#isDetached)
      throw violation(action, 'something without its object', 'calls of its methods as methods: it may be of a class');
    await eventually(this.#tools, action, async () => {
      if (this.#circuit.at(-1) === 'open') throw new Error('the circuit is open');
    }).catch(() => {});
    const inTurn = this.#circuit.every((state, at) => state === (at % 2 === 0 ? 'closed' : 'open'));
    if (!inTurn || this.#circuit.at(-1) === 'open')
      throw violation(
        action,
        `a circuit that was ${this.#circuit.join(', ')}`,
        'closed at first, then open and closed in turn, and closed within 5 s after adds succeed again',
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
