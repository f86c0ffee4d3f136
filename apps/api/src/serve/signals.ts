import type { Logger } from 'pino';
import { killAfter } from './exit-guard.ts';

/** Maximum time of a graceful shutdown after its delay, in milliseconds; then the process exits regardless. */
export const SHUTDOWN_MS = 7_000;

/** What a signal ends. */
export interface Stoppable {
  /** Shuts down gracefully, and serves for so many milliseconds before. */
  stop(delayMs: number): Promise<void>;
  /** Ends at once what would outlive this process. */
  kill?(): void;
}

/**
 * The first SIGTERM, SIGINT or SIGHUP shuts down gracefully, a second SIGTERM or SIGINT exits immediately. SIGTERM comes from
 * a supervisor, which tells load balancers at the same time: they get `delayMs` milliseconds to notice. SIGINT comes from a
 * person, who should not have to wait. SIGHUP, of a terminal that closes, may come several times: from the shell and from the
 * kernel. Whether `nohup` had it ignored is not known: Node has undone that before any of this runs.
 */
export function shutDownOnSignal(service: Stoppable, delayMs: number, logger: Logger): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGHUP' && signals > 0) return;
    signals += 1;
    if (signals > 1) {
      service.kill?.();
      exitBy(signal);
    }
    const delay = signal === 'SIGINT' ? 0 : delayMs;
    const within = delay + SHUTDOWN_MS;
    const { exit } = killAfter(within);
    const message = signal === 'SIGINT' ? 'graceful shutdown; Ctrl-C again to force' : 'graceful shutdown';
    logger.info({ signal }, delay > 0 ? `graceful shutdown; stops accepting connections in ${delay} ms` : message);
    setTimeout(() => {
      logger.error(`graceful shutdown not complete after ${within} ms; exiting`);
      service.kill?.();
      exit(1);
    }, within).unref();
    service.stop(delay).then(
      () => exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'graceful shutdown failed');
        service.kill?.();
        exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
}

/** Shuts down a service that waiting does not fix, with exit code 1. */
export function endOnFailure(service: Stoppable, message: string, logger: Logger): void {
  logger.fatal(`${message}; exiting`);
  const { exit } = killAfter(SHUTDOWN_MS);
  const end = () => {
    service.kill?.();
    exit(1);
  };
  setTimeout(end, SHUTDOWN_MS).unref();
  service.stop(0).then(end, end);
}

/** By the signal's default action, which waits for nothing. */
function exitBy(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // There is none for the first process of a container.
  process.exit(signal === 'SIGINT' ? 130 : 143);
}
