import type { Logger } from 'pino';

/** Maximum time of a graceful shutdown after its delay, in milliseconds; then the process exits regardless. */
export const SHUTDOWN_MS = 7_000;

/**
 * The first SIGTERM or SIGINT shuts down gracefully, a second one exits immediately. SIGTERM comes from a supervisor, which
 * tells load balancers at the same time: they get `delayMs` milliseconds to notice. SIGINT comes from a person, who should
 * not have to wait.
 */
export function shutDownOnSignal(stop: (delayMs: number) => Promise<void>, delayMs: number, logger: Logger): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    const delay = signal === 'SIGTERM' ? delayMs : 0;
    const message = signal === 'SIGINT' ? 'shutting down; Ctrl-C again to force' : 'shutting down';
    logger.info({ signal }, delay > 0 ? `draining; exits in ${delay} ms` : message);
    setTimeout(() => {
      logger.error(`shutdown not complete after ${delay + SHUTDOWN_MS} ms; exiting`);
      process.exit(1);
    }, delay + SHUTDOWN_MS).unref();
    stop(delay).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
