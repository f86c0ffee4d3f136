import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import type { Application } from '../compose.ts';
import { readConfig } from '../config/index.ts';
import { openLog } from '../logging/index.ts';
import { loadStorageAdapter } from '../stores/index.ts';
import { developmentToken, hasTokens } from '../tokens/index.ts';
import { startupMessage } from './startup-message.ts';

/** The maximum time of a graceful shutdown after its delay, in milliseconds. The process then exits regardless. */
export const SHUTDOWN_MS = 7_000;

/**
 * Runs the service until a signal stops it. Resolves once it is listening.
 *
 * After SIGTERM, load balancers get `SHUTDOWN_DELAY_MS` to notice, because a supervisor informs them at the same time. After
 * SIGINT, which a person sends, the shutdown starts at once. A second signal exits at once.
 *
 * @throws {Error} with a message for the operator if the service cannot start; {@link ConfigError} for a wrong setting.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment, {
    outside: await loadStorageAdapter(environment['STORAGE_ADAPTER']),
    tokens: true,
  });
  const token = hasTokens(config) ? undefined : await developmentToken(config.DATA_DIR);
  const log = await openLog(config);
  const { logger } = log;
  for (const warning of config.warnings) logger.warn(warning);

  let application: Application | undefined;
  // `beforeExit` is skipped: a process with nothing left to do ends by itself, with its exit code.
  closeWithGrace(
    { delay: config.SHUTDOWN_DELAY_MS + SHUTDOWN_MS, logger, skip: ['beforeExit'] },
    async ({ signal, err }) => {
      if (err) logger.fatal({ err }, 'unexpected error; exiting');
      const delayMs = application && signal !== 'SIGINT' && !err ? config.SHUTDOWN_DELAY_MS : 0;
      const then = delayMs > 0 ? `; stops accepting connections in ${delayMs} ms` : '';
      logger.info({ signal }, `graceful shutdown${then || (signal === 'SIGINT' ? '; Ctrl-C again to force' : '')}`);
      // A service that is still starting has no requests to complete.
      await application?.stop(delayMs);
    },
  );

  const hasStartupMessage = !config.production && isatty(1) && isatty(2);
  const { compose } = await import('../compose.ts');
  application = await compose(token ? { ...config, API_TOKENS: token } : config, log, { hasStartupMessage });
  if (config.production) return;
  // The message is for a person and not part of the log. The service runs even if it cannot be shown.
  process.stderr.on('error', () => {});
  process.stderr.write(startupMessage(application, config, token));
}
