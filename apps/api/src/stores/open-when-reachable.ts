import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@plant-store/command-line';
import { type PlantRepository, type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/** How long to wait before the store is opened again, in milliseconds. */
const RETRY_MS = 1_000;

/** How long closing waits for an attempt, in milliseconds: one that fails takes no longer by default. */
const CLOSE_MS = 2_500;

/** What happens to a store that was unavailable when it was opened. */
export interface OpeningEvents {
  /** It is unavailable: at first, and whenever the reason changes. */
  onUnavailable(reason: string): void;
  onOpen(): void;
  /** It will never open: waiting does not help. */
  onFailure(error: unknown): void;
}

/**
 * Opens a store. While it is unavailable, the result stands for it: adds and checks throw {@link StoreUnavailable}, and it is
 * opened again every second until that succeeds.
 *
 * @throws what `open` throws at the first attempt, if waiting does not help.
 */
export async function openWhenReachable(open: () => Promise<PlantStore>, events: OpeningEvents): Promise<PlantStore> {
  const closing = new AbortController();
  let reason = '';
  let opened = await attempt();
  if (opened) return opened;
  const waiting = keepTrying();
  return {
    plants: ofStore(() => available().plants),
    check: async () => available().check(),
    async close() {
      closing.abort();
      // An attempt that goes on ends with the process.
      await Promise.race([waiting, sleep(CLOSE_MS, undefined, { ref: false })]);
      await opened?.close();
    },
  };

  function available(): PlantStore {
    if (opened) return opened;
    throw new StoreUnavailable(closing.signal.aborted ? 'the store is closed' : reason);
  }

  async function attempt(): Promise<PlantStore | undefined> {
    try {
      return await open();
    } catch (error) {
      if (!mayRecover(error)) throw error;
      const message = errorMessage(error);
      if (message !== reason) events.onUnavailable(message);
      reason = message;
      return undefined;
    }
  }

  async function keepTrying(): Promise<void> {
    try {
      while (!opened) {
        await sleep(RETRY_MS, undefined, { signal: closing.signal });
        opened = await attempt();
      }
      events.onOpen();
    } catch (error) {
      if (!closing.signal.aborted) events.onFailure(error);
    }
  }
}

/** Every method of the repository, of the store that is there when it is called. It is no promise, and has no symbols. */
function ofStore(plants: () => PlantRepository): PlantRepository {
  return new Proxy({} as PlantRepository, {
    get(target, name) {
      if (typeof name === 'symbol' || name === 'then' || name in target) return Reflect.get(target, name);
      return async (...parameters: unknown[]) =>
        Reflect.apply(plants()[name as keyof PlantRepository], plants(), parameters);
    },
  });
}

/**
 * Whether waiting may help. Once the server has rejected the password, the user or the database, it does not. A host name
 * that is unknown may belong to a container that has not started.
 */
function mayRecover(error: unknown): boolean {
  return error instanceof StoreUnavailable && (!(error instanceof StoreMisconfigured) || isUnknownHost(error.cause));
}

function isUnknownHost(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.some(isUnknownHost);
  if (!(cause instanceof Error)) return false;
  return ('code' in cause && cause.code === 'ENOTFOUND') || isUnknownHost(cause.cause);
}
