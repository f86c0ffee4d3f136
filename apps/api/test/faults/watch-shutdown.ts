import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, type RunningService } from '../running-service.ts';

/** A shutdown as a load balancer sees it. */
export interface ShutdownSeen {
  /** From the signal until readiness failed, in milliseconds. */
  readonly unreadyAfterMs: number;
  /** Whether a connection was refused after a successful readiness probe. */
  readonly refusedWhileReady: boolean;
}

/** Probes readiness and then opens a connection, repeatedly, until readiness fails. */
export async function watchShutdown(service: RunningService, signalledAt: number): Promise<ShutdownSeen> {
  let refusedWhileReady = false;
  while (await isReady(service)) {
    refusedWhileReady ||= !(await acceptsConnections(service));
    await sleep(1);
  }
  return { unreadyAfterMs: performance.now() - signalledAt, refusedWhileReady };
}

/** The readiness probe of a load balancer. */
export async function isReady({ adminUrl }: Pick<RunningService, 'adminUrl'>): Promise<boolean> {
  return fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2_500) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function acceptsConnections({ url }: RunningService): Promise<boolean> {
  const socket = connectTo(url);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
