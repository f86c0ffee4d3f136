import { type Clause, NotChecked, resolved, type Sentence, show, type Tools, within } from '@plant-store/contracts-kit';
import type { NewPlant, PlantStore } from '@plant-store/domain';
import type { EndFault, PreparedStore, StoreHarness } from './store-harness.ts';
import { bindStoreMethods, forwarding } from './store-methods.ts';

/** The check of a clause that works in an empty database. It is dropped afterwards, also if the check fails. */
export function withFixture(use: (fixture: Fixture) => Promise<void>): Clause<StoreHarness>['check'] {
  return async (harness, tools) => {
    const prepared = await resolved('called prepare()', () => harness.prepare(), 'it resolves with an empty database');
    try {
      await use(new Fixture(harness, prepared, tools));
    } catch (error) {
      // The failure of the clause says more than a failure of the clean-up after it.
      await prepared.dispose().catch(() => {});
      throw error;
    }
    await resolved('called dispose()', () => prepared.dispose(), 'it drops the database');
  };
}

/** The check of a clause that works with one open store on an empty database. */
export function withStore(use: (store: PlantStore, fixture: Fixture) => Promise<void>): Clause<StoreHarness>['check'] {
  return withFixture((fixture) => fixture.withStore((store) => use(store, fixture)));
}

/** The functions that a harness may lack. */
type Optional = Exclude<keyof PreparedStore, 'open' | 'dispose'>;
type Fault = 'startOutage' | 'killServer' | 'failCommits';

/** An empty database, and what a clause does with it. Every call of a store has a time limit. */
export class Fixture {
  readonly capabilities: StoreHarness['capabilities'];
  readonly prepared: PreparedStore;
  readonly tools: Tools;

  constructor({ capabilities }: StoreHarness, prepared: PreparedStore, tools: Tools) {
    this.capabilities = capabilities;
    this.prepared = prepared;
    this.tools = tools;
  }

  /** Opens a store. A call of it that hangs is a violation whose message names the call. */
  async open(action = 'opened a store'): Promise<PlantStore> {
    const opening = () => within(OPEN_OR_CLOSE_MS, this.tools, action, this.prepared.open(), 'it opens');
    return this.limited(await resolved(action, opening, 'it opens'));
  }

  /** Returns an open store with a time limit for every call. */
  limited(store: PlantStore): PlantStore {
    const methods = bindStoreMethods(store);
    return forwarding(Object.keys(methods), (name, given) => {
      const action = () => `called ${name}(${given.map(show).join(', ')})`;
      const calling = Promise.resolve(methods[name]?.(...given));
      if (name === 'close') return within(OPEN_OR_CLOSE_MS, this.tools, action, calling, 'it resolves');
      return this.inTime(action, calling);
    });
  }

  /** Opens a store and closes it after use. Whether it closes properly is for PR-15 to check. */
  async withStore<T>(use: (store: PlantStore) => Promise<T>, action?: string): Promise<T> {
    const store = await this.open(action);
    return use(store).finally(() => closeQuietly(store));
  }

  /** Waits for a call, at most for the time-out of the store. */
  inTime<T>(action: Sentence, calling: Promise<T>, expected = 'a result, or an error'): Promise<T> {
    const { timeoutMs } = this.capabilities;
    return within(timeoutMs + SLACK_MS, this.tools, action, calling, `${expected}, within ${timeoutMs} ms`);
  }

  /**
   * Returns an optional member of the harness.
   * @throws {NotChecked} if the harness lacks it. A run in vitest then fails, unless it names the clause.
   */
  require<Name extends Optional>(name: Name): NonNullable<PreparedStore[Name]> {
    const supplied: unknown = this.prepared[name];
    const member = name === 'openInProcess' ? 'opener' : name;
    if (!supplied) throw new NotChecked(`supply ${member} to adapterHarness, or ${name} to prepare()`);
    const bound = typeof supplied === 'function' ? supplied.bind(this.prepared) : supplied;
    return bound as NonNullable<PreparedStore[Name]>;
  }

  /** Makes the database refuse a plant, while no store is open. */
  async refuse(plant: NewPlant): Promise<void> {
    const refuse = this.require('refuse');
    await resolved(`called refuse(${show(plant)})`, () => refuse(plant), 'it resolves, while no store is open');
  }

  /** Starts a fault, and ends it after use, unless `use` has ended it. */
  during(name: Fault, use: (end: EndFault) => Promise<unknown>): Promise<void> {
    return this.duringFault(`called ${name}()`, this.require(name), use);
  }

  /** As {@link Fixture.during}, for any fault. */
  async duringFault(
    action: string,
    start: () => Promise<EndFault>,
    use: (end: EndFault) => Promise<unknown>,
  ): Promise<void> {
    const call = <T>(action: string, calling: () => Promise<T>, expected: string) =>
      resolved(action, () => within(FAULT_MS, this.tools, action, calling()), expected);
    const endFault = await call(action, start, 'it resolves once the fault has begun');
    let ending: Promise<void> | undefined;
    const end = () =>
      (ending ??= call(`${action}, and called the function that it resolved with`, endFault, 'it resolves'));
    await use(end).finally(end);
  }
}

/** Closes a store, and ignores an error of it. */
export async function closeQuietly(store: PlantStore): Promise<void> {
  await store.close().catch(() => {});
}

/** Added to the time-out of a store, for a machine that stalls. Without a time-out a store hangs for ever. */
export const SLACK_MS = 5_000;

/** Limits opening and closing, which the port does not limit. It is well below the time-out of a clause. */
const OPEN_OR_CLOSE_MS = 20_000;

/** Long enough to kill or start a server in a container. */
const FAULT_MS = 30_000;
