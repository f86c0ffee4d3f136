import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

const draining = new WeakSet<Server>();

/**
 * Makes every answer from now on the last one of its connection (`Connection: close`), so that callers and load balancers
 * turn to another instance. The server goes on serving until it is closed.
 */
export function drain({ server }: FastifyInstance): void {
  draining.add(server);
}

/** Whether the server is to be closed soon, or is being closed. */
export function isDraining(server: Server): boolean {
  return draining.has(server) || !server.listening;
}
