/** The clock and timers of a group commit. */
export interface Platform {
  /** A monotonic clock in milliseconds. Deadlines are times of this clock. */
  readonly now: () => number;
  /** Calls back once, after `ms` milliseconds, and returns a function that cancels. Keeps the process alive only if asked to. */
  readonly after: (ms: number, callback: () => void, keepsAlive?: boolean) => () => void;
  /** Resolves after `ms` milliseconds. Keeps the process alive, because a caller is waiting. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Calls back once, after the input that has already arrived is processed. */
  readonly defer: (callback: () => void) => void;
}

/** The clock and timers of Node. */
export const processPlatform: Platform = {
  now: () => performance.now(),
  after(ms, callback, keepsAlive = false) {
    const timer = setTimeout(callback, ms);
    if (!keepsAlive) timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  defer: (callback) => void setImmediate(callback),
};

/**
 * Waits at most `ms` milliseconds for the work. After a timeout the work continues and holds its resources, such as a
 * connection, until it ends.
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
    const cancel = platform.after(ms, () => reject(timedOut()));
    work.then(resolve, reject).finally(cancel);
  });
}

/** Creates a timer for the earliest of the times that its result is called with. It fires up to a millisecond late. */
export function alarm({ now, after }: Platform, callback: () => void, keepsAlive = false): (time: number) => void {
  let until = Infinity;
  let cancel = () => {};
  const fire = () => {
    until = Infinity;
    callback();
  };
  return (time) => {
    if (until <= time) return;
    cancel();
    until = time;
    cancel = after(Math.max(1, Math.ceil(time - now())), fire, keepsAlive);
  };
}
