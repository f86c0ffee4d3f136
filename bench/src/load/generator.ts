import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from './generator-process.ts';
import type { LoadResult, Order, Pause } from './load.ts';

/**
 * The load generator. It shares the cores with what it measures, so it must be cheap. CPU per request against a bare
 * node:http echo at 64 connections: wrk 9.5 µs, raw sockets in Node 9.5 µs (mostly the kernel's), autocannon 20 µs. wrk
 * cannot send at a constant rate or report which ids were created, and has to be installed; hence raw sockets.
 */
export interface Generator {
  /**
   * @param pause waited for before the first request and after the last response, while all connections are open.
   * @throws {Error} if the load could not be applied or something hangs.
   */
  run(order: Order, pause: Pause): Promise<LoadResult>;
  stop(): void;
}

/** Far longer than the service may take to respond, for a busy machine. */
const GRACE_MS = 60_000;

export function startGenerator(): Generator {
  const child = fork(join(import.meta.dirname, 'generator-process.ts'), { serialization: 'advanced' });
  return {
    async run(order, pause) {
      const late = AbortSignal.timeout(order.seconds * 1_000 * 2 + GRACE_MS);
      child.send(order);
      for (;;) {
        const [report] = (await once(child, 'message', { signal: late }).catch((cause: unknown) => {
          throw new Error(`the load on port ${order.port} did not finish: the server hangs`, { cause });
        })) as [Report];
        if (report === 'paused') {
          await pause();
          child.send('go on');
        } else if ('failure' in report) throw new Error(report.failure);
        else return report.result;
      }
    },
    stop: () => child.disconnect(),
  };
}
