import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Since when a server has been draining, by `performance.now()`. */
const drainingSince = new WeakMap<Server, number>();

/**
 * Makes every response from now on the last one of its connection (`Connection: close`), so that clients and load
 * balancers turn to another instance. The server keeps serving until it is closed.
 *
 * @returns since when it has been draining, by `performance.now()`: the first call counts.
 */
export function drain({ server }: Pick<FastifyInstance, 'server'>): number {
  const since = drainingSince.get(server) ?? performance.now();
  drainingSince.set(server, since);
  return since;
}

/** Whether the server is draining or closing. */
export function isDraining(server: Server): boolean {
  return drainingSince.has(server) || !server.listening;
}
