import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Address } from './config/index.ts';

/** An address that the service is to listen on, and the setting that has its port. */
export interface Listener {
  readonly setting: 'PORT' | 'ADMIN_PORT';
  readonly address: Address;
}

/**
 * Why the service cannot listen, and what to do about it. If a port is taken, the message names every other port that is
 * taken as well, so that it is not the next thing to fail, and free ones to use instead.
 *
 * @param others what the service would listen on next.
 */
export async function cannotListenMessage(
  error: NodeJS.ErrnoException,
  listener: Listener,
  others: readonly Listener[],
): Promise<string> {
  if (error.code !== TAKEN) return otherReason(error, listener.address);
  const all: Listener[] = [];
  const reasons: string[] = [];
  for (const other of others) {
    const next = await listenError(other.address);
    if (next?.code === TAKEN) all.push(other);
    else if (next) reasons.push(otherReason(next, other.address));
  }
  all.push(listener);
  const free: number[] = [];
  for (const { address } of all) free.push(await freePort(address, free));
  const inUse = all.map(({ address: { host, port } }) => `port ${port} is in use on ${host}`).join(', and ');
  const instead = all.map(({ setting }, at) => `${setting}=${free[at]}`).join(' and ');
  return [`${inUse}: stop what listens there, or set ${instead}`, ...reasons].join('; ');
}

const TAKEN = 'EADDRINUSE';

function otherReason({ code, message }: NodeJS.ErrnoException, { host, port }: Address): string {
  switch (code) {
    case 'EACCES':
      return `no permission to listen on port ${port}: set PORT or ADMIN_PORT to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine: set HOST or ADMIN_HOST to one that is`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}

/** The next free port above the taken one; 0, which picks any, if there is none among the next hundred. */
async function freePort({ host, port }: Address, except: readonly number[]): Promise<number> {
  for (let next = port + 1; next <= Math.min(port + 100, 65_535); next += 1)
    if (!except.includes(next) && !(await listenError({ host, port: next }))) return next;
  return 0;
}

/** Undefined if the port is free. */
async function listenError({ host, port }: Address): Promise<NodeJS.ErrnoException | undefined> {
  // Not shared with other workers.
  const server = createServer().listen({ host, port, exclusive: true });
  return once(server, 'listening').then(
    () => new Promise((resolve) => server.close(() => resolve(undefined))),
    (error: NodeJS.ErrnoException) => error,
  );
}
