/** The clock and timers of a group commit. */
export interface Platform {
  /** A monotonic clock in milliseconds. Deadlines are times of this clock. */
  readonly now: () => number;
  /** Calls back once, after `ms` milliseconds, and returns a function that cancels. Keeps the process alive only if asked to. */
  readonly after: (ms: number, callback: () => void, keepsAlive?: boolean) => () => void;
  /** Calls back once, after the input that has already arrived is processed. */
  readonly defer: (callback: () => void) => void;
}

/** The clock and timers of Node. */
export const processPlatform: Platform = {
  now: () => performance.now(),
  after(ms, callback, keepsAlive = false) {
    // Whole numbers, because Node keeps a list for each duration.
    const timer = setTimeout(callback, Math.max(0, Math.ceil(ms)));
    if (!keepsAlive) timer.unref();
    return () => clearTimeout(timer);
  },
  defer: (callback) => void setImmediate(callback),
};

/**
 * Waits at most `ms` milliseconds for the work, and keeps the process alive meanwhile. After a timeout the work continues and holds its
 * resources, such as a connection, until it ends.
 *
 * @throws the error that `timedOut` returns, on timeout.
 */
export function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  timedOut: () => Error,
  platform: Platform = processPlatform,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = platform.after(ms, () => reject(timedOut()), true);
    work.then(resolve, reject).finally(cancel);
  });
}

/** Waits, and keeps the process alive meanwhile. */
export function pause({ after }: Platform, ms: number): Promise<void> {
  return new Promise((resolve) => void after(ms, resolve, true));
}

/** Creates a timer for the earliest of the times that its result is called with. It fires up to a millisecond late. */
export function alarm({ now, after }: Platform, callback: () => void): (time: number) => void {
  let next: { readonly time: number; readonly cancel: () => void } | undefined;
  return (time) => {
    if (next && next.time <= time) return;
    next?.cancel();
    const cancel = after(Math.max(1, Math.ceil(time - now())), () => {
      next = undefined;
      callback();
    });
    next = { time, cancel };
  };
}
