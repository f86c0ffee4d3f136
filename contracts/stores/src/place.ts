import { type Clause, NotChecked, resolved, type Sentence, show, type Tools, within } from '@plant-store/contracts-kit';
import type { PlantRepository, PlantStore } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** The check of a clause that works in an empty place, which is freed in any case. */
export function inPlace(use: (place: Place) => Promise<void>): Clause<StoreHarness>['check'] {
  return async (harness, tools) => {
    const prepared = await resolved('called prepare()', () => harness.prepare(), 'it resolves with an empty place');
    try {
      await use(new Place(harness, prepared, tools));
    } catch (error) {
      // The clause's own failure says more than what goes wrong in the clean-up after it.
      await prepared.dispose().catch(() => {});
      throw error;
    }
    await resolved('called dispose()', () => prepared.dispose(), 'it frees the place');
  };
}

/** The same with one store open on the place. */
export function inStore(use: (store: PlantStore, place: Place) => Promise<void>): Clause<StoreHarness>['check'] {
  return inPlace((place) => place.withStore((store) => use(store, place)));
}

/** What a harness can do to a place. */
type Means = Exclude<keyof PreparedStore, 'open' | 'dispose'>;
type MeansOf<Name extends Means> = NonNullable<PreparedStore[Name]>;
type Fault = 'startOutage' | 'killServer' | 'failCommits' | 'spoil' | 'refuseAll';

/** An empty place for plants, and what a clause does there. */
export class Place {
  readonly capabilities: StoreHarness['capabilities'];
  readonly prepared: PreparedStore;
  readonly tools: Tools;

  constructor({ capabilities }: StoreHarness, prepared: PreparedStore, tools: Tools) {
    this.capabilities = capabilities;
    this.prepared = prepared;
    this.tools = tools;
  }

  /** Opens a store whose every call is bounded: one that hangs is a violation that names it. */
  async open(action = 'opened a store', observer?: StoreObserver): Promise<PlantStore> {
    const opening = () => within(LONG_MS, this.tools, action, this.prepared.open(observer), 'it opens');
    return this.bounded(await resolved(action, opening, 'it opens'));
  }

  /** The same for a store that is open. */
  bounded(store: PlantStore): PlantStore {
    const get = (plants: PlantRepository, name: string) => {
      const member: unknown = Reflect.get(plants, name);
      // What every object has is no call of the port.
      if (typeof member !== 'function' || name in Object.prototype) return member;
      const action = (given: readonly unknown[]) => `called ${name}(${given.map(show).join(', ')})`;
      return async (...given: unknown[]) => this.inTime(() => action(given), Reflect.apply(member, plants, given));
    };
    return {
      plants: new Proxy(store.plants, { get }),
      check: async () => this.inTime('called check()', store.check()),
      close: async () => within(LONG_MS, this.tools, 'called close()', store.close(), 'it resolves'),
    };
  }

  /** Opens a store for as long as it is used. Whether it closes properly is for PR-15 to check. */
  async withStore<T>(use: (store: PlantStore) => Promise<T>, action?: string): Promise<T> {
    const store = await this.open(action);
    return use(store).finally(() => closeQuietly(store));
  }

  /** Bounds a call by the time-out of the store. */
  inTime<T>(action: Sentence, calling: Promise<T>, expected = 'a result, or an error'): Promise<T> {
    const { timeoutMs } = this.capabilities;
    return within(timeoutMs + SLACK_MS, this.tools, action, calling, `${expected}, within ${timeoutMs} ms`);
  }

  /**
   * A function of the harness.
   * @throws {NotChecked} if it is missing. A run in vitest then fails, unless it names the clause.
   */
  means<Name extends Means>(name: Name): MeansOf<Name> {
    const means = this.prepared[name]?.bind(this.prepared);
    if (means) return means as MeansOf<Name>;
    throw new NotChecked(`the harness has no means for it: supply ${name}() in what prepare() resolves with`);
  }

  /** Has the place reject a plant, before a store is open on it. */
  refusedPlant(): ReturnType<MeansOf<'refusedPlant'>> {
    return resolved('called refusedPlant()', this.means('refusedPlant'), 'it resolves, while no store is open');
  }

  /** Begins a fault, and ends it once it is no longer used, or when `use` ends it. */
  async during(name: Fault, use: (end: () => Promise<void>) => Promise<unknown>): Promise<void> {
    const begin = this.means(name);
    const beginning = () => within(FAULT_MS, this.tools, `called ${name}()`, begin());
    const ending = await resolved(`called ${name}()`, beginning, 'it resolves once the fault has begun');
    let ended: Promise<void> | undefined;
    const action = `called the function that ${name}() resolved with`;
    const end = () => (ended ??= resolved(action, () => within(FAULT_MS, this.tools, action, ending()), 'it resolves'));
    await use(end).finally(end);
  }
}

export async function closeQuietly(store: PlantStore): Promise<void> {
  await store.close().catch(() => {});
}

/** For the machine that the test runs on; the time-out itself is the store's own. */
export const SLACK_MS = 1_000;

/** The port bounds neither opening nor closing. Well below the time that a clause has. */
const LONG_MS = 10_000;

/** Long enough for a server in a container to be killed or started. */
const FAULT_MS = 20_000;
