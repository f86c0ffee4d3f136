import type { Logger } from 'pino';

/** How long a graceful shutdown may take after its delay before the process ends all the same, in milliseconds. */
export const SHUTDOWN_MS = 7_000;

/**
 * The first SIGTERM or SIGINT ends the service in order, a second one at once. SIGTERM is a supervisor's, which tells load
 * balancers at the same moment: they get `delayMs` milliseconds to hear of it. SIGINT is a person's, who waits for nobody.
 */
export function endOnSignal(stop: (delayMs: number) => Promise<void>, delayMs: number, logger: Logger): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    const delay = signal === 'SIGTERM' ? delayMs : 0;
    logger.info(`${signal}: ${delay > 0 ? `not ready, ending in ${delay} ms` : 'ending'}; again to end at once`);
    setTimeout(() => {
      logger.error(`still not ended after ${delay + SHUTDOWN_MS} ms: ending now`);
      process.exit(1);
    }, delay + SHUTDOWN_MS).unref();
    stop(delay).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'ended with an error');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
