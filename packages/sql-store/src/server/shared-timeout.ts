/** Watches work that must not take too long. */
export interface SharedTimeout<Work> {
  started(work: Work): void;
  ended(work: Work): void;
}

/**
 * Calls back for work that takes too long, with one timer for all of it, which does not keep the process alive.
 *
 * For what comes and goes many times a second, in place of a timer for each, such as a driver's own for statements: Node
 * keeps timers of one length in a list, and drops the list when it is empty. A dropped list that is in the old generation
 * keeps what its last timer held (a statement, its values and rows) alive until the next full collection. At 500
 * statements a second the young collections took four times as long.
 *
 * @param ms how long work may take from `started` to `ended`, in milliseconds; 0 is no limit.
 */
export function sharedTimeout<Work>(ms: number, onTimeout: (work: Work) => void): SharedTimeout<Work> {
  // Not a Map: its replaced tables keep one another, and what they held, alive in the same way.
  const running: { readonly work: Work; readonly deadline: number }[] = [];
  let isWatching = false;

  function watch(delayMs: number): void {
    if (isWatching) return;
    isWatching = true;
    setTimeout(() => {
      isWatching = false;
      const now = performance.now();
      for (const { work } of running.filter(({ deadline }) => deadline <= now)) {
        ended(work);
        onTimeout(work);
      }
      const [next] = running;
      if (next) watch(Math.ceil(next.deadline - now));
    }, delayMs).unref();
  }

  function ended(work: Work): void {
    const at = running.findIndex((each) => each.work === work);
    if (at >= 0) running.splice(at, 1);
  }

  return {
    started(work) {
      if (ms === 0) return;
      // In the order of their deadlines.
      running.push({ work, deadline: performance.now() + ms });
      watch(ms);
    },
    ended,
  };
}
