import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import type { StoreObserver } from '@plant-store/store-kit';
import type { Database } from '../../src/model/database.ts';
import type { StoreMutation } from '../../src/model/model-store.ts';

/** Break PR-21: the figures that an observer gets are right. */
export const observers: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: one for each figure, for when the observer gets it, and how.
  'PR-21': {
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
    'reports a closed circuit six seconds after adds succeed again': closingLate(6_000),
    'counts closed connections as idle': reporting((observer) => ({
      watchConnections: (connections) =>
        observer.watchConnections(() => ({ ...connections(), idle: connections().max + 1 })),
    })),
    'counts a write in flight as failed': beforeWrites((observer) => observer.wrote('failed', 1, 0.001)),
  },
});

/** A store that calls these methods in place of its observer's. */
function reporting(change: (observer: StoreObserver, database: Database) => Partial<StoreObserver>): StoreMutation {
  return ({ observe }, { database }) => ({
    observe(observer) {
      const changed = change(observer, database);
      const methodOf = (name: keyof StoreObserver) => changed[name] ?? observer[name]?.bind(observer);
      observe(new Proxy(observer, { get: (_, name) => methodOf(name as keyof StoreObserver) }));
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
