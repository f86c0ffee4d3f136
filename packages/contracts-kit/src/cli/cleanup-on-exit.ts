import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, type Host, printable } from '@plant-store/command-line';

/** An empty place for what is checked, such as a database. */
export interface Place {
  /** Opens what is checked on the place. */
  open(...given: never[]): Promise<{ close(): Promise<unknown> }>;
  /** Frees everything, data included. */
  dispose(): Promise<void>;
}

/**
 * Runs work that prepares places and disposes of every place that it leaves behind: when it is done, when it throws and when a
 * signal ends the process. A second signal exits immediately; only SIGHUP may come several times, as from a terminal that
 * closes.
 *
 * @param say is told, in a printable line, what could not be cleaned up and why the run ended.
 */
export async function cleanupOnExit<Prepared extends Place, Result>(
  prepare: () => Promise<Prepared>,
  host: Host,
  say: (problem: string) => void,
  work: (prepare: () => Promise<Prepared>) => Promise<Result>,
): Promise<Result> {
  const places = trackPlaces(prepare, say);
  const listeners = signals.map((signal) => [signal, () => exitEarly(128 + constants.signals[signal])] as const);
  const onUncaught = (error: unknown) => {
    say(`uncaught exception in the store: ${printable(errorMessage(error))}`);
    exitEarly(1);
  };
  const stopListening = () => {
    for (const listener of listeners) host.off(...listener);
    process.off('uncaughtException', onUncaught);
  };

  function exitEarly(code: number): void {
    host.on('SIGHUP', () => {});
    stopListening();
    // What was under way may fail, because its place is being removed: that must not end the process before.
    let failure: unknown;
    process.on('uncaughtException', (error) => {
      failure ??= error;
    });
    // A cleanup that never ends, with nothing left to wait for, must not pass for a success.
    process.on('beforeExit', () => {
      say(`cleanup did not end${failure ? `: ${printable(errorMessage(failure))}` : ''}`);
      host.exit(code);
    });
    places.freeze();
    void places.disposeAll().finally(() => host.exit(code));
  }

  for (const listener of listeners) host.on(...listener);
  process.on('uncaughtException', onUncaught);
  try {
    return await work(places.prepare);
  } finally {
    await places.disposeAll();
    stopListening();
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Places<Prepared> {
  prepare(): Promise<Prepared>;
  /** Suspends the work: it would only report what disposing of its places breaks. */
  freeze(): void;
  /** Disposes of the places that are left; failures are reported on standard error. */
  disposeAll(): Promise<void>;
}

function trackPlaces<Prepared extends Place>(
  prepare: () => Promise<Prepared>,
  say: (problem: string) => void,
): Places<Prepared> {
  /** With what was opened on them, or is about to be. */
  const inUse = new Map<Promise<Prepared>, ReturnType<Prepared['open']>[]>();
  let frozen = false;

  async function dispose(preparing: Promise<Prepared>): Promise<void> {
    // A place that could not be prepared has left nothing behind.
    const place = await preparing.catch(() => undefined);
    await place?.dispose();
    inUse.delete(preparing);
  }

  return {
    async prepare() {
      if (frozen) return never;
      const preparing = prepare();
      const opened: ReturnType<Prepared['open']>[] = [];
      inUse.set(preparing, opened);
      const place = await preparing;
      const open = (...given: never[]) => {
        if (frozen) return never;
        const opening = place.open(...given) as ReturnType<Prepared['open']>;
        opened.push(opening);
        return opening;
      };
      return frozen ? never : { ...place, open, dispose: () => (frozen ? never : dispose(preparing)) };
    },
    freeze() {
      frozen = true;
    },
    async disposeAll() {
      // What is open might recreate what is being removed. What is checked may be wrong, and never open or close.
      const left = new AbortController();
      const closing = [...inUse.values()].flat().map(async (opening) => (await opening).close());
      await Promise.race([Promise.allSettled(closing), sleep(CLOSE_MS, undefined, { signal: left.signal })]);
      left.abort();
      for (const preparing of inUse.keys()) {
        await dispose(preparing).catch((error: unknown) => {
          say(`cleanup failed: ${printable(errorMessage(error))}`);
        });
      }
    },
  };
}

const never = new Promise<never>(() => {});

/** 3 s: a store gives up within 2. */
const CLOSE_MS = 3_000;
