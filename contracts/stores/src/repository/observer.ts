import { type Clause, ContractViolation, eventually, show } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { ConnectionFigures, StoreObserver } from '@plant-store/store-kit';
import { addPlant, expectSame } from '../expectations.ts';
import { closeQuietly, inPlace, type Place, SLACK_MS } from '../place.ts';
import { plainPlant, plainPlants } from '../samples.ts';
import type { StoreHarness } from '../store-harness.ts';

/** What an observer is told: PR-21. */
export const observerClauses: readonly Clause<StoreHarness>[] = [
  {
    id: 'PR-21',
    title: 'the figures that an observer gets are right',
    appliesTo: ({ capabilities }) => capabilities.observed,
    check: inPlace(async (place) => {
      const told = new Told();
      const store = await place.open('opened a store with an observer', told.observer);
      try {
        await whileItAnswers(store, told, place);
        if (place.capabilities.external) await aroundAnOutage(store, told, place);
      } finally {
        await closeQuietly(store);
      }
    }),
  },
];

async function whileItAnswers(store: PlantStore, told: Told, place: Place): Promise<void> {
  const expectCounted = async (action: string, plants: readonly NewPlant[], least: number) => {
    const before = told.plants('done');
    await Promise.all(plants.map((plant) => addPlant(store, plant, action)));
    told.expectDone(action, before, least, plants.length);
    expectSame(`${action}; what the observer was told of`, { failed: 0 }, { failed: told.plants('failed') });
  };
  for (const action of ['added 50 plants', 'added them again']) await expectCounted(action, plainPlants(50), 50);
  expectSame('added 50 plants twice; what the observer was told of', { retries: 0 }, { retries: told.retries });
  // How many of the adds are written together, and so count as one plant, is for the store to choose.
  const rivals = plainPlants(30, 100).map((plant, at) => ({ ...plant, id: BigInt(-1 - (at % 3)) }));
  await expectCounted('added ten plants at once under each of three new ids', rivals, 3);
  await told.expectSound('added 130 plants', place);
}

async function aroundAnOutage(store: PlantStore, told: Told, place: Place): Promise<void> {
  const { timeoutMs } = place.capabilities;
  const action = 'added a plant in an outage';
  await place.during('startOutage', async () => {
    await store.plants.add(plainPlant(1_000)).catch(() => {});
    // The add may end a little before its write.
    await eventually(place.tools, action, async () => {
      if (told.plants('failed') === 0) throw new Error('the observer was told of no write that failed');
    });
  });
  const wrong = told.writes.find(({ seconds }) => !(seconds > 0 && seconds <= (timeoutMs + SLACK_MS) / 1_000));
  const range = `seconds: more than 0, and no more than the time-out of ${timeoutMs} ms`;
  if (wrong) throw violation(action, `a write that took ${wrong.seconds}`, range);

  const recovered = `${action}, ended the outage, and added another one`;
  const before = told.plants('done');
  await eventually(place.tools, recovered, () => store.plants.add(plainPlant(1_001)));
  told.expectDone(recovered, before, 1, Number.POSITIVE_INFINITY);
  await told.expectSound(recovered, place);
}

/** What an observer was told. */
class Told {
  readonly writes: { outcome: 'done' | 'failed'; plants: number; seconds: number }[] = [];
  retries = 0;
  readonly #circuit: string[] = [];
  readonly #waiting: (() => number)[] = [];
  readonly #connections: (() => ConnectionFigures)[] = [];
  /** Whether a method of the observer was called without it. Those of a class need their object. */
  #isDetached = false;
  readonly observer: StoreObserver = this.#noting({
    watchWaiting: (count) => void this.#waiting.push(count),
    watchConnections: (connections) => void this.#connections.push(connections),
    wrote: (outcome, plants, seconds) => void this.writes.push({ outcome, plants, seconds }),
    retried: () => {
      this.retries += 1;
    },
    circuit: (state) => void this.#circuit.push(state),
  });

  #noting(methods: StoreObserver): StoreObserver {
    const note = (self: unknown) => (this.#isDetached ||= self !== this.observer);
    const entries = Object.entries(methods).map(([name, method]) => [
      name,
      function (this: unknown, ...given: unknown[]) {
        note(this);
        method(...given);
      },
    ]);
    return Object.fromEntries(entries);
  }

  plants(of: 'done' | 'failed'): number {
    return this.writes.reduce((sum, { outcome, plants }) => sum + (outcome === of ? plants : 0), 0);
  }

  expectDone(action: string, before: number, least: number, most: number): void {
    const stored = this.plants('done') - before;
    if (stored < least || stored > most)
      throw violation(action, `${stored} plants more in writes that were stored`, `${least} to ${most}`);
  }

  /** What is so while adds succeed. A circuit may be that of a part of the store, to which the last plant did not go. */
  async expectSound(action: string, { tools }: Place): Promise<void> {
    if (this.#isDetached)
      throw violation(action, 'something without its object', 'calls of its methods as methods: it may be of a class');
    const waiting = this.#waiting.map((count) => count());
    expectSame(`${action}; what the observer was told of`, { waiting: [0] }, { waiting });
    await eventually(tools, action, async () => {
      const states = this.#circuit.join(', ');
      if (!/^((closed, open, )*closed)?$/.test(states))
        throw new Error(`the observer was told of a circuit that was ${states}`);
    });
    const connections = this.#connections.map((figures) => figures());
    const isSound = ({ used, idle, pending, max }: ConnectionFigures) =>
      [used, idle, pending].every((each) => Number.isInteger(each) && each >= 0) && used + idle <= max;
    if (!connections.every(isSound) || connections.length > 1)
      throw violation(action, `connections ${show(connections)}`, 'one pool: no more than max are used or idle');
  }
}

function violation(action: string, told: string, expected: string): ContractViolation {
  return new ContractViolation(action, `the observer was told of ${told}`, expected);
}
