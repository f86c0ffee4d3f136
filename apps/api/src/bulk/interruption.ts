import { once } from 'node:events';
import type { Host } from '../host.ts';

/**
 * Returns a signal that the first SIGINT, SIGTERM or SIGHUP aborts, for a graceful exit. A second SIGINT or SIGTERM ends the
 * process at once. Further SIGHUPs are ignored, because a closing terminal may send several.
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

/** Settles as the work does, but rejects once the signal is aborted, because the work may never end. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  return Promise.race([work, aborted.then(() => Promise.reject(signal.reason))]);
}
