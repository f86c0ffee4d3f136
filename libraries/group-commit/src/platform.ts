/** The clock and the timers that group commit goes by. */
export interface Platform {
  /** A clock that never goes back, in milliseconds. Deadlines are times of it. */
  readonly now: () => number;
  /** Calls back once, after `ms` milliseconds, and returns how to prevent that. Keeps the process alive if it is asked to. */
  readonly after: (ms: number, callback: () => void, keepsAlive?: boolean) => () => void;
  /** Resolves after `ms` milliseconds. Keeps the process alive, since a caller waits for what comes next. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Calls back once, as soon as the input that has arrived by now has been processed. */
  readonly defer: (callback: () => void) => void;
}

/** That of this process. */
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
 * Waits for the work for at most `ms` milliseconds. Work that is late goes on: what it holds, such as a connection, is
 * free once it has ended.
 *
 * @throws what `timedOut` returns, on timeout.
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
