import { constants } from 'node:os';
import { errorMessage } from './messages.ts';

/** An empty place in which a store is checked, such as a database. */
export interface Place {
  /** Removes the place with its data, even if connections to it are open. */
  dispose(): Promise<void>;
}

/**
 * Runs work that prepares places, and disposes of all places that are left when the work ends or throws, on an uncaught exception
 * and on SIGINT, SIGTERM or SIGHUP. A second SIGINT or SIGTERM exits immediately.
 *
 * @param warn is called with what could not be cleaned up, and with an uncaught exception.
 */
export async function cleanupOnExit<Prepared extends Place, Result>(
  prepare: () => Promise<Prepared>,
  warn: (problem: string) => void,
  work: (prepare: () => Promise<Prepared>) => Promise<Result>,
): Promise<Result> {
  const inUse = new Set<Promise<Prepared>>();
  let isExiting = false;

  async function preparePlace(): Promise<Prepared> {
    // Suspends the work during an exit, because it would only report that its place is being removed.
    if (isExiting) return never;
    const preparing = prepare();
    inUse.add(preparing);
    return { ...(await preparing), dispose: () => (isExiting ? never : dispose(preparing)) };
  }

  async function dispose(preparing: Promise<Prepared>): Promise<void> {
    // A place that could not be prepared needs no cleanup.
    await (await preparing.catch(() => undefined))?.dispose();
    inUse.delete(preparing);
  }

  async function disposeAll(): Promise<void> {
    for (const place of inUse)
      await dispose(place).catch((error: unknown) => warn(`cleanup failed: ${errorMessage(error)}`));
  }

  function exit(code: number): void {
    if (isExiting) return;
    isExiting = true;
    // SIGHUP keeps its listener, because a terminal that closes may send it several times.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    // A cleanup that never ends, with nothing left to wait for, must not pass for a success.
    process.on('beforeExit', () => {
      warn('cleanup did not end');
      process.exit(code);
    });
    void disposeAll().finally(() => process.exit(code));
  }

  const onSignal = (signal: (typeof signals)[number]) => exit(128 + constants.signals[signal]);
  const onUncaught = (error: unknown) => {
    // During an exit, calls in flight may fail because their place is being removed.
    if (!isExiting) warn(`uncaught exception in the store: ${errorMessage(error)}`);
    exit(1);
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onUncaught);
  try {
    return await work(preparePlace);
  } finally {
    await disposeAll();
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onUncaught);
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const never = new Promise<never>(() => {});
