import type { Logger } from 'pino';

/** How long a graceful shutdown may take before the process ends all the same, in milliseconds. */
const SHUTDOWN_MS = 10_000;

/** The first SIGTERM or SIGINT ends the service in order, a second one at once. */
export function endOnSignal(stop: () => Promise<void>, logger: Logger): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    logger.info(`${signal}: ending; again to end at once`);
    setTimeout(() => {
      logger.error(`still not ended after ${SHUTDOWN_MS} ms: ending now`);
      process.exit(1);
    }, SHUTDOWN_MS).unref();
    stop().then(
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
