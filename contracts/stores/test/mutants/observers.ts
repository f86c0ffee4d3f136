import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import type { StoreObserver } from '@plant-store/store-kit';
import type { Database } from '../model/database.ts';
import type { StoreMutation } from '../model/model-store.ts';

/** Break PR-21: the figures that an observer gets are right. */
export const observers: readonly Mutant<StoreMutation>[] = mutantTable<StoreMutation>({
  // More than two: one for each figure, and for when and how it is told.
  'PR-21': {
    'tells of a write some time after its adds have returned': telling((observer, { sleep }) => ({
      wrote: (...write) => void sleep(10).then(() => observer.wrote(...write)),
    })),
    'says nothing of a write that failed': telling((observer) => ({
      wrote: (outcome, ...write) => (outcome === 'done' ? observer.wrote(outcome, ...write) : undefined),
    })),
    'passes a method of its observer on without the observer': telling(({ wrote }) => ({ wrote })),
    'tells milliseconds for seconds': telling((observer) => ({
      wrote: (outcome, plants, seconds) => observer.wrote(outcome, plants, seconds * 1_000),
    })),
    'counts the first attempt of a write as a retry': telling((observer) => ({
      wrote(...write) {
        observer.retried();
        observer.wrote(...write);
      },
    })),
    'tells the most adds that have ever waited': telling((observer) => ({
      watchWaiting(count) {
        let most = 0;
        observer.watchWaiting(() => (most = Math.max(most, count() + 1)));
      },
    })),
    'says that the circuit is closed six seconds after adds succeed again': closingLate(6_000),
    'counts connections that it has closed as idle': telling((observer) => ({
      watchConnections: (connections) =>
        observer.watchConnections(() => ({ ...connections(), idle: connections().max + 1 })),
    })),
    'counts a write that is in flight as failed': telling((observer) => ({
      wrote(...write) {
        observer.wrote('failed', 1, 0.001);
        observer.wrote(...write);
      },
    })),
  },
});

/** A store that tells its observer something else. */
function telling(otherwise: (observer: StoreObserver, database: Database) => Partial<StoreObserver>): StoreMutation {
  return ({ observe }, { database }) => ({
    observe(observer) {
      const told: StoreObserver = {
        watchWaiting: (count) => observer.watchWaiting(count),
        watchConnections: (connections) => observer.watchConnections(connections),
        wrote: (...write) => observer.wrote(...write),
        retried: () => observer.retried(),
        circuit: (state) => observer.circuit(state),
      };
      observe({ ...told, ...otherwise(observer, database) });
    },
  });
}

/** A store that says so long after the circuit has closed again that it is closed. */
export function closingLate(ms: number): StoreMutation {
  return telling((observer, { sleep }) => {
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
