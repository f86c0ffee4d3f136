import type { ConnectionFigures, StoreObserver } from '@plant-store/sql-store';

/** Makes one observer of many: the parts of a store, each of which reports as if it were the whole. */
export interface SharedObserver {
  /**
   * @param isInUse says whether plants go to the part. While they do not, its connections do not count: they are none
   * that a plant could have.
   * @param onCircuit is called when the part's circuit breaker opens, and when it closes again.
   */
  part(isInUse: () => boolean, onCircuit?: (state: 'open' | 'closed') => void): StoreObserver;
}

/** Sums are reported for waiting adds and connections; the circuit counts as open while one of the parts' is. */
export function sharedObserver(observer: StoreObserver): SharedObserver {
  const waiting: (() => number)[] = [];
  const connections: { readonly isInUse: () => boolean; readonly figures: () => ConnectionFigures }[] = [];
  let open = 0;
  observer.circuit('closed');
  observer.watchWaiting(() => waiting.reduce((sum, count) => sum + count(), 0));
  observer.watchConnections(() =>
    connections.filter((each) => each.isInUse()).reduce((total, each) => sum(total, each.figures()), none),
  );

  return {
    part(isInUse, onCircuit = () => {}) {
      let isOpen = false;
      return {
        watchWaiting: (count) => void waiting.push(count),
        wrote: (...write) => observer.wrote(...write),
        watchConnections: (figures) => void connections.push({ isInUse, figures }),
        retried: () => observer.retried(),
        circuit(state) {
          // Each part says at first that it is closed.
          if (isOpen === (state === 'open')) return;
          isOpen = !isOpen;
          open += isOpen ? 1 : -1;
          if (open === (isOpen ? 1 : 0)) observer.circuit(state);
          onCircuit(state);
        },
      };
    },
  };
}

const none: ConnectionFigures = { used: 0, idle: 0, pending: 0, max: 0 };

function sum(a: ConnectionFigures, b: ConnectionFigures): ConnectionFigures {
  return { used: a.used + b.used, idle: a.idle + b.idle, pending: a.pending + b.pending, max: a.max + b.max };
}
