import { url as inspectorUrl } from 'node:inspector';
import type { Logger } from 'pino';
import type { Application } from '../compose.ts';

/** Where the service listens, what it may open besides, and the state of its store. */
export type Addresses = Pick<Application, 'url' | 'adminUrl' | 'storeConnections' | 'storeState'>;

/** What the primary sends to a worker. */
export interface ToWorker {
  readonly stop?: { readonly delayMs: number };
  /** Asks whether the event loop runs. */
  readonly heartbeat?: true;
}

/** What a worker sends to the primary. */
export interface FromWorker {
  /** It is listening. */
  readonly addresses?: Addresses;
  /** It has to end, and so has the service: a person has to act. */
  readonly failed?: { readonly message: string };
  /** Its event loop runs. */
  readonly alive?: true;
  /** With it: a debugger can be attached, and stop the event loop. */
  readonly debugged?: boolean;
  /** It has shut down; the process only has to exit. */
  readonly stopped?: true;
}

/**
 * In a worker: starts the service and reports its addresses to the primary, and shuts it down gracefully when the primary asks
 * for it. If the primary dies, Node ends the worker immediately: what was acknowledged is stored, the rest can be sent again.
 */
export async function serveForPrimary(start: () => Promise<Application>, logger: Logger): Promise<void> {
  // Ctrl-C reaches every process of a terminal, and so does its end; only the primary acts on it.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const starting = start();
  // Before it has started: it gets connections as soon as it listens.
  process.on('message', ({ stop, heartbeat }: ToWorker) => {
    if (heartbeat) send({ alive: true, debugged: inspectorUrl() !== undefined });
    if (stop) void shutDown(stop.delayMs);
  });
  const { url, adminUrl, storeConnections, storeState, failed } = await starting;
  send({ addresses: { url, adminUrl, storeConnections, storeState } });
  void failed.then(({ message }) => send({ failed: { message } }));

  async function shutDown(delayMs: number): Promise<void> {
    try {
      await (await starting).stop(delayMs);
      send({ stopped: true }, () => process.exit(0));
    } catch (error) {
      logger.error({ err: error }, 'graceful shutdown failed');
      process.exit(1);
    }
  }
}

function send(message: FromWorker, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent);
}
