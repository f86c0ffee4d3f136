/** Checks every case, some concurrently so that a long table does not take long. Stops at the first that throws. */
export async function forEachCase<T>(cases: Iterable<T>, check: (value: T) => Promise<void>): Promise<void> {
  const waiting = cases[Symbol.iterator]();
  let failed = false;
  // The iterator is shared: each worker takes the next case.
  async function work(): Promise<void> {
    for (let next = waiting.next(); !next.done && !failed; next = waiting.next()) {
      try {
        await check(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Few enough for a service with a handful of database connections. */
const CONCURRENCY = 16;
