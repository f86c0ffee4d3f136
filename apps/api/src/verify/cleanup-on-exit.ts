import { constants } from 'node:os';
import { errorMessage, type Host, printable } from '@plant-store/command-line';
import type { PreparedStore, StoreHarness } from '@plant-store/contracts-stores';

/**
 * Runs work on a store's harness and disposes of every place that it leaves behind: when it is done, when it throws and
 * when a signal ends the process. A second signal exits immediately; only SIGHUP may come several times, as from a terminal
 * that closes.
 */
export async function cleanupOnExit<T>(
  harness: StoreHarness,
  host: Host,
  work: (harness: StoreHarness) => Promise<T>,
): Promise<T> {
  const places = trackPlaces(harness, host);
  const listeners = signals.map((signal) => [signal, () => exitEarly(128 + constants.signals[signal])] as const);
  const onUncaught = (error: unknown) => {
    host.stderr.write(`plant-store: uncaught exception in the store: ${printable(errorMessage(error))}\n`);
    exitEarly(1);
  };
  const stopListening = () => {
    for (const listener of listeners) host.off(...listener);
    process.off('uncaughtException', onUncaught);
  };

  function exitEarly(code: number): void {
    host.on('SIGHUP', () => {});
    stopListening();
    places.freeze();
    void places.disposeAll().finally(() => host.exit(code));
  }

  for (const listener of listeners) host.on(...listener);
  process.on('uncaughtException', onUncaught);
  try {
    return await work(places.harness);
  } finally {
    await places.disposeAll();
    stopListening();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Places {
  readonly harness: StoreHarness;
  /** Suspends the work: it would only report what disposing of its places breaks. */
  freeze(): void;
  /** Disposes of the places that are left; failures are reported on standard error. */
  disposeAll(): Promise<void>;
}

function trackPlaces({ capabilities, prepare }: StoreHarness, host: Host): Places {
  const inUse = new Set<Promise<PreparedStore>>();
  /** Stores that are being opened: one of them might recreate what is being removed. */
  const opening = new Set<Promise<unknown>>();
  let frozen = false;

  async function opened<T>(open: Promise<T>): Promise<T> {
    opening.add(open);
    return open.finally(() => opening.delete(open));
  }

  async function dispose(preparing: Promise<PreparedStore>): Promise<void> {
    // A place that could not be prepared has left nothing behind.
    const place = await preparing.catch(() => undefined);
    await place?.dispose();
    inUse.delete(preparing);
  }

  return {
    harness: {
      capabilities,
      async prepare() {
        if (frozen) return never;
        const preparing = prepare();
        inUse.add(preparing);
        const place = await preparing;
        const open: typeof place.open = (observer) => (frozen ? never : opened(place.open(observer)));
        return frozen ? never : { ...place, open, dispose: () => (frozen ? never : dispose(preparing)) };
      },
    },
    freeze() {
      frozen = true;
    },
    async disposeAll() {
      await Promise.allSettled(opening);
      for (const preparing of inUse) {
        await dispose(preparing).catch((error: unknown) => {
          host.stderr.write(`plant-store: cleanup failed: ${printable(errorMessage(error))}\n`);
        });
      }
    },
  };
}

const never = new Promise<never>(() => {});
