/** Checks every case, some at a time so that a long table does not take long. Ends with the first that throws. */
export async function every<T>(cases: Iterable<T>, check: (value: T) => Promise<void>): Promise<void> {
  const waiting = cases[Symbol.iterator]();
  let broken = false;
  // The iterator is shared: each worker takes the next case that nobody has taken.
  async function work(): Promise<void> {
    for (let next = waiting.next(); !next.done && !broken; next = waiting.next()) {
      try {
        await check(next.value);
      } catch (error) {
        broken = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

/** Few enough for a service with a handful of database connections. */
const AT_A_TIME = 16;
