import type { ConnectionFigures, StoreObserver } from '@plant-store/domain';

/** Makes one observer of many: the parts of a store, each of which reports as if it were the whole. */
export interface SharedObserver {
  /** @param onCircuit is called when the part's circuit breaker opens, and when it closes again. */
  part(onCircuit?: (state: 'open' | 'closed') => void): StoreObserver;
}

/** Sums are reported for waiting adds and connections; the circuit counts as open while one of the parts' is. */
export function sharedObserver(observer: StoreObserver): SharedObserver {
  const waiting: (() => number)[] = [];
  const connections: (() => ConnectionFigures)[] = [];
  let open = 0;
  observer.circuit('closed');
  observer.watchWaitingAdds(() => waiting.reduce((sum, count) => sum + count(), 0));

  return {
    part(onCircuit = () => {}) {
      let isOpen = false;
      return {
        watchWaitingAdds: (count) => void waiting.push(count),
        wrote: observer.wrote,
        watchConnections(figures) {
          connections.push(figures);
          if (connections.length === 1) observer.watchConnections(() => connections.map((each) => each()).reduce(sum));
        },
        retried: observer.retried,
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

function sum(a: ConnectionFigures, b: ConnectionFigures): ConnectionFigures {
  return { used: a.used + b.used, idle: a.idle + b.idle, pending: a.pending + b.pending, max: a.max + b.max };
}
