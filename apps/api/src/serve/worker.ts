import type { Logger } from 'pino';
import type { Application } from '../compose.ts';

/** Where the service listens. */
export type Addresses = Pick<Application, 'url' | 'adminUrl'>;

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
  /** Its event loop runs. */
  readonly alive?: true;
  /** It has shut down; the process only has to exit. */
  readonly stopped?: true;
}

/**
 * In a worker: reports its addresses to the primary, and shuts down gracefully when the primary asks for it. If the primary
 * dies, Node ends the worker immediately: what was acknowledged is stored, the rest can be sent again.
 */
export function shutDownWithPrimary(application: Application, logger: Logger): void {
  process.on('message', ({ stop, heartbeat }: ToWorker) => {
    if (heartbeat) send({ alive: true });
    if (stop) void shutDown(stop.delayMs);
  });
  // Ctrl-C reaches every process of a terminal; only the primary acts on it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  const { url, adminUrl } = application;
  send({ addresses: { url, adminUrl } });

  async function shutDown(delayMs: number): Promise<void> {
    try {
      await application.stop(delayMs);
      send({ stopped: true }, () => process.exit(0));
    } catch (error) {
      logger.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  }
}

function send(message: FromWorker, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent);
}
