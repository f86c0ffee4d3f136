import { resolved, type Sentence, show, type Tools, within } from '@plant-store/contracts-kit';
import type { PlantStore } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/**
 * Opens a store on the place whose every call is bounded: a call that hangs is a violation that names it.
 * @param action what was done, for the message.
 * @param observer told what the store does; none by default.
 */
export async function openBounded(
  harness: StoreHarness,
  prepared: PreparedStore,
  tools: Tools,
  action = 'opened a store',
  observer?: StoreObserver,
): Promise<PlantStore> {
  const opening = () => within(OPEN_OR_CLOSE_MS, tools, action, prepared.open(observer), 'it opens');
  return boundedStore(harness, await resolved(action, opening, 'it opens'), tools);
}

/** The same for a store that is open. */
export function boundedStore(
  { capabilities: { timeoutMs } }: StoreHarness,
  store: PlantStore,
  tools: Tools,
): PlantStore {
  const bounded = <T>(call: Sentence, promise: Promise<T>) =>
    within(timeoutMs + SLACK_MS, tools, call, promise, `a result, or an error, within ${timeoutMs} ms`);
  return {
    plants: new Proxy(store.plants, {
      get(plants, name) {
        const member: unknown = Reflect.get(plants, name);
        // A repository is no promise, and what every object has is no call of the port.
        if (typeof member !== 'function' || typeof name === 'symbol' || name in Object.prototype) return member;
        return async (...parameters: unknown[]) =>
          bounded(() => sentenceOf(name, parameters), Reflect.apply(member, plants, parameters));
      },
    }),
    check: async () => bounded('called check()', store.check()),
    close: async () => within(OPEN_OR_CLOSE_MS, tools, 'called close()', store.close(), 'it resolves'),
  };
}

/** What was called, for messages. */
function sentenceOf(name: string, parameters: readonly unknown[]): string {
  const shown = parameters.map(show).join(', ');
  return name === 'add' ? `added ${shown}` : `called ${name}(${shown})`;
}

/** For the machine that the test runs on; the time-out itself is the store's own. */
export const SLACK_MS = 1_000;

/** The port bounds neither. Long enough for any store that is not stuck, well below the time that a clause has. */
export const OPEN_OR_CLOSE_MS = 10_000;
