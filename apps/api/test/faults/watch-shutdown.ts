import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from '../running-service.ts';

/** What a load balancer sees of a service that ends. */
export interface ShutdownSeen {
  /** From the signal until readiness failed, in milliseconds. */
  readonly unreadyAfterMs: number;
  /** Whether a connection was refused that was opened after the service had said that it is ready. */
  readonly refusedWhileReady: boolean;
}

/** Asks for readiness and then opens a connection, again and again, until readiness fails. */
export async function watchShutdown(service: RunningService, signalledAt: number): Promise<ShutdownSeen> {
  let refusedWhileReady = false;
  while (await isReady(service)) {
    refusedWhileReady ||= !(await acceptsConnections(service));
    await sleep(1);
  }
  return { unreadyAfterMs: performance.now() - signalledAt, refusedWhileReady };
}

/** What a load balancer asks. */
export async function isReady({ adminUrl }: RunningService): Promise<boolean> {
  return fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2_500) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function acceptsConnections({ url }: RunningService): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
