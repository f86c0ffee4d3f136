import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

const draining = new WeakSet<Server>();

/**
 * Makes every response from now on the last one of its connection (`Connection: close`), so that clients and load
 * balancers turn to another instance. The server keeps serving until it is closed.
 */
export function drain({ server }: Pick<FastifyInstance, 'server'>): void {
  draining.add(server);
}

/** Whether the server is draining or closing. */
export function isDraining(server: Server): boolean {
  return draining.has(server);
}
