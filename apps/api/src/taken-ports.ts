import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Address } from './config/index.ts';

/** An address that the service is to listen on, and the setting that has its port. */
export interface Listener {
  readonly setting: 'PORT' | 'ADMIN_PORT';
  readonly address: Address;
}

/**
 * What to do about a port that is taken: every other port that is taken as well, so that it is not the next thing to fail,
 * and free ones to use instead.
 *
 * @param others what the service would listen on next.
 */
export async function takenPortsMessage(taken: Listener, others: readonly Listener[]): Promise<string> {
  const all: Listener[] = [];
  for (const other of others) if (!(await isFree(other.address))) all.push(other);
  all.push(taken);
  const free: number[] = [];
  for (const { address } of all) free.push(await freePort(address, free));
  const inUse = all.map(({ address: { host, port } }) => `port ${port} is in use on ${host}`).join(', and ');
  const instead = all.map(({ setting }, at) => `${setting}=${free[at]}`).join(' and ');
  return `${inUse}: stop what listens there, or set ${instead}`;
}

/** The next free port above the taken one; 0, which picks any, if there is none among the next hundred. */
async function freePort({ host, port }: Address, except: readonly number[]): Promise<number> {
  for (let next = port + 1; next <= Math.min(port + 100, 65_535); next += 1)
    if (!except.includes(next) && (await isFree({ host, port: next }))) return next;
  return 0;
}

async function isFree({ host, port }: Address): Promise<boolean> {
  // Not shared with other workers.
  const server = createServer().listen({ host, port, exclusive: true });
  return once(server, 'listening').then(
    () => new Promise((resolve) => server.close(() => resolve(true))),
    () => false,
  );
}
