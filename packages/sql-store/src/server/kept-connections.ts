/** Connections that nobody uses at the moment, and that are not back in their pool yet. */
export interface KeptConnections<Connection> {
  readonly count: number;
  /** Takes one that nobody uses any more. One that is kept already stays once. */
  keep(connection: Connection): void;
  /** The one that was kept last; undefined if there is none. */
  take(): Connection | undefined;
  /** Keeps it no more, and returns whether it did. It does not go back to the pool. */
  drop(connection: Connection): boolean;
  /** Gives all of them back now. */
  giveBack(): void;
}

/**
 * Keeps connections up to a second for whoever needs one next: a pool's own part in an add, with its timers and listeners,
 * is a fifth of its CPU. Whoever wants idle connections closed does not wait much longer, and under load the pool sees one a
 * second.
 *
 * @param giveBack takes a connection back to its pool.
 * @param isAwaited says whether somebody waits for the pool, which knows who: a connection goes back at once then.
 */
export function keptConnections<Connection>(
  giveBack: (connection: Connection) => void,
  isAwaited: () => boolean,
): KeptConnections<Connection> {
  let kept: Connection[] = [];
  let isKeeping = false;

  function giveAllBack(): void {
    for (const connection of kept.splice(0)) giveBack(connection);
  }

  return {
    get count() {
      return kept.length;
    },
    keep(connection) {
      if (isAwaited()) {
        giveBack(connection);
        return;
      }
      if (!kept.includes(connection)) kept.push(connection);
      if (isKeeping) return;
      isKeeping = true;
      setTimeout(() => {
        isKeeping = false;
        giveAllBack();
      }, KEEP_MS).unref();
    },
    take: () => kept.pop(),
    drop(connection) {
      const before = kept.length;
      kept = kept.filter((each) => each !== connection);
      return kept.length < before;
    },
    giveBack: giveAllBack,
  };
}

const KEEP_MS = 1_000;
