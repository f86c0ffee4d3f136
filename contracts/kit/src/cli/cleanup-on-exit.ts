import { constants } from 'node:os';
import { errorMessage } from './messages.ts';

/** An empty place for what is checked, such as a database. */
export interface Place {
  /** Frees everything, data included, although something may still be open on the place. */
  dispose(): Promise<void>;
}

/**
 * Runs work that prepares places and disposes of every place that it leaves behind: when it is done, when it throws and when a
 * signal ends the process. A second signal exits immediately; only SIGHUP may come several times, as from a terminal that
 * closes.
 *
 * @param say is told what could not be cleaned up and why the run ended.
 */
export async function cleanupOnExit<Prepared extends Place, Result>(
  prepare: () => Promise<Prepared>,
  say: (problem: string) => void,
  work: (prepare: () => Promise<Prepared>) => Promise<Result>,
): Promise<Result> {
  const inUse = new Set<Promise<Prepared>>();
  let isEnding = false;
  let failure: unknown;

  async function preparePlace(): Promise<Prepared> {
    // At the end the work is suspended: it would only report what the removal of its place breaks.
    if (isEnding) return never;
    const preparing = prepare();
    inUse.add(preparing);
    return { ...(await preparing), dispose: () => (isEnding ? never : dispose(preparing)) };
  }

  async function dispose(preparing: Promise<Prepared>): Promise<void> {
    // A place that could not be prepared has left nothing behind.
    await (await preparing.catch(() => undefined))?.dispose();
    inUse.delete(preparing);
  }

  async function disposeAll(): Promise<void> {
    for (const place of inUse)
      await dispose(place).catch((error: unknown) => say(`cleanup failed: ${errorMessage(error)}`));
  }

  function exitEarly(code: number): void {
    if (isEnding) return;
    isEnding = true;
    for (const [signal, listener] of listeners) if (signal !== 'SIGHUP') process.off(signal, listener);
    // A cleanup that never ends, with nothing left to wait for, must not pass for a success.
    process.on('beforeExit', () => {
      say(`cleanup did not end${failure ? `: ${errorMessage(failure)}` : ''}`);
      process.exit(code);
    });
    void disposeAll().finally(() => process.exit(code));
  }

  const listeners = signals.map((signal) => [signal, () => exitEarly(128 + constants.signals[signal])] as const);
  const onUncaught = (error: unknown) => {
    // What was under way may fail because its place is being removed: that must not end the process before.
    failure ??= error;
    if (!isEnding) say(`uncaught exception in the store: ${errorMessage(error)}`);
    exitEarly(1);
  };
  for (const listener of listeners) process.on(...listener);
  process.on('uncaughtException', onUncaught);
  try {
    return await work(preparePlace);
  } finally {
    await disposeAll();
    for (const listener of listeners) process.off(...listener);
    process.off('uncaughtException', onUncaught);
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const never = new Promise<never>(() => {});
