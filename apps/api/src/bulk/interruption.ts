import { once } from 'node:events';
import type { Host } from '../host.ts';

/**
 * Aborted by the first SIGINT, SIGTERM or SIGHUP, with the reason «interrupted». The command then ends in an orderly way. A
 * second SIGINT or SIGTERM ends the process at once. A terminal that closes may send SIGHUP several times.
 */
export function interruption(host: Host): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new Error('interrupted'));
    host.off('SIGINT', abort);
    host.off('SIGTERM', abort);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) host.on(name, abort);
  return controller.signal;
}

/** Settles as the work does; rejects once the signal is aborted, because a store may never let the work end. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  return Promise.race([work, aborted.then(() => Promise.reject(signal.reason))]);
}
