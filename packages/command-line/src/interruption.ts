import type { Host } from './host.ts';

/**
 * Aborted by the first SIGINT, SIGTERM or SIGHUP, after which the command ends in an orderly way; a second SIGINT or SIGTERM
 * exits. A terminal that closes may send SIGHUP several times. Disposing of it stops listening.
 */
export function interruption(host: Host): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const onSignal = () => {
    if (controller.signal.aborted) host.exit(3);
    abort();
  };
  for (const name of signals) host.on(name, onSignal);
  host.on('SIGHUP', abort);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) host.off(name, onSignal);
      host.off('SIGHUP', abort);
    },
  };
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** Settles as the work does, or rejects at once when the signal is aborted: the work may be waiting for a store. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return Promise.race([work, promise]);
}
