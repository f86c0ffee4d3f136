import { constants } from 'node:os';
import type { PreparedStore, StoreHarness } from '@plant-store/contracts-stores';
import { reasonOf } from '../error-message.ts';

/**
 * Lets the work use a store under test, and disposes of every place that it prepared and did not dispose of itself:
 * when it is done, when it throws, and when a signal ends the process. A second signal ends it at once.
 */
export async function clearedWhateverHappens<T>(
  subject: StoreHarness,
  work: (subject: StoreHarness) => Promise<T>,
): Promise<T> {
  const places = placesOf(subject);
  const onSignal = (signal: NodeJS.Signals) => endEarly(128 + constants.signals[signal]);
  const onUncaught = (error: unknown) => {
    process.stderr.write(`plant-store: the store threw where nobody could catch it: ${reasonOf(error)}\n`);
    endEarly(1);
  };
  const stopListening = () => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onUncaught);
  };

  function endEarly(code: number): void {
    stopListening();
    places.freeze();
    void places.clear().finally(() => process.exit(code));
  }

  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onUncaught);
  try {
    return await work(places.subject);
  } finally {
    await places.clear();
    stopListening();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Places {
  readonly subject: StoreHarness;
  /** Lets the work go no further: what it finds in a place that is being cleared away is nobody's fault. */
  freeze(): void;
  /** Disposes of what is left. What cannot be disposed of is reported on standard error. */
  clear(): Promise<void>;
}

function placesOf({ capabilities, prepare }: StoreHarness): Places {
  const inUse = new Set<Promise<PreparedStore>>();
  /** Stores that are just being opened: one of them might make anew what is being removed. */
  const opening = new Set<Promise<unknown>>();
  let frozen = false;

  async function opened<T>(open: Promise<T>): Promise<T> {
    opening.add(open);
    return open.finally(() => opening.delete(open));
  }

  async function dispose(preparing: Promise<PreparedStore>): Promise<void> {
    // One that could not be prepared has left nothing.
    const place = await preparing.catch(() => undefined);
    await place?.dispose();
    inUse.delete(preparing);
  }

  return {
    subject: {
      capabilities,
      async prepare() {
        if (frozen) return never;
        const preparing = prepare();
        inUse.add(preparing);
        const place = await preparing;
        const open = () => (frozen ? never : opened(place.open()));
        return frozen ? never : { ...place, open, dispose: () => (frozen ? never : dispose(preparing)) };
      },
    },
    freeze() {
      frozen = true;
    },
    async clear() {
      await Promise.allSettled(opening);
      for (const preparing of inUse) {
        await dispose(preparing).catch((error: unknown) => {
          process.stderr.write(`plant-store: something is left behind: ${reasonOf(error)}\n`);
        });
      }
    },
  };
}

const never = new Promise<never>(() => {});
