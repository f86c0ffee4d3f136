import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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

/**
 * Settles as the work does. After the signal is aborted it rejects: what the work waits for, such as a store, may never come.
 * @param graceMs how long the work may take then.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  const aborted = async () => {
    if (!signal.aborted) await once(signal, 'abort');
    await sleep(graceMs);
    throw signal.reason;
  };
  return await Promise.race([work, aborted()]);
}
