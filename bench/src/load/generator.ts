import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from './generator-process.ts';
import type { LoadResult, Order } from './load.ts';

/**
 * The load generator. It shares the machine's cores with what it measures, so it has to cost little. Measured against
 * a bare node:http echo at 64 connections, CPU per request: wrk 9.5 µs, raw sockets in Node 9.5 µs (most of both is the
 * kernel's), autocannon 20 µs. wrk can neither send at a constant rate nor tell which ids were answered 200, and has to
 * be installed; so it is raw sockets.
 */
export interface Generator {
  /** @throws {Error} when the load could not be applied, or something hangs. */
  run(order: Order): Promise<LoadResult>;
  stop(): void;
}

/** Twice the longest that the service may take to answer, and room for a busy machine. */
const GRACE_MS = 60_000;

export function startGenerator(): Generator {
  const child = fork(join(import.meta.dirname, 'generator-process.ts'), { serialization: 'advanced' });
  return {
    async run(order) {
      const late = AbortSignal.timeout(order.seconds * 1_000 * 2 + GRACE_MS);
      child.send(order);
      const [report] = (await once(child, 'message', { signal: late }).catch((cause: unknown) => {
        throw new Error(`the load on port ${order.port} did not end: the server hangs`, { cause });
      })) as [Report];
      if ('failure' in report) throw new Error(report.failure);
      return report.result;
    },
    stop: () => child.disconnect(),
  };
}
