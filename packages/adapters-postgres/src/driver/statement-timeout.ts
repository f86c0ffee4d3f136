import type pg from 'pg';

/** A statement took too long. It may still run on the server. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';

  constructor(ms: number) {
    super(`the server did not end a statement within ${ms} ms`);
  }
}

/** Watches what runs on connections. */
export interface StatementWatch {
  started(client: pg.ClientBase): void;
  ended(client: pg.ClientBase): void;
}

/**
 * Calls back when statements take too long, with one timer for all of them.
 *
 * Not pg's `query_timeout`, which sets and clears a timer for each. Node keeps timers of one length in a list, and drops the
 * list when it is empty. A dropped list that is in the old generation keeps what its last timer held (the statement, its
 * values and rows) alive until the next full collection. At 500 statements a second the young collections took four times
 * as long.
 *
 * @param ms how long what runs between `started` and `ended` may take, in milliseconds; 0 is no limit.
 */
export function statementWatch(ms: number, onTimeout: (client: pg.ClientBase, error: Error) => void): StatementWatch {
  // Not a Map: its replaced tables keep one another, and what they held, alive in the same way.
  const running: { readonly client: pg.ClientBase; readonly deadline: number }[] = [];
  let isWatching = false;

  function watch(delayMs: number): void {
    if (isWatching) return;
    isWatching = true;
    setTimeout(() => {
      isWatching = false;
      const now = performance.now();
      const late = running.filter(({ deadline }) => deadline <= now);
      for (const { client } of late) {
        ended(client);
        onTimeout(client, new StatementTimeout(ms));
      }
      const [next] = running;
      if (next) watch(Math.ceil(next.deadline - now));
    }, delayMs).unref();
  }

  function ended(client: pg.ClientBase): void {
    const at = running.findIndex((each) => each.client === client);
    if (at >= 0) running.splice(at, 1);
  }

  return {
    started(client) {
      if (ms === 0) return;
      // In the order of their deadlines.
      running.push({ client, deadline: performance.now() + ms });
      watch(ms);
    },
    ended,
  };
}
