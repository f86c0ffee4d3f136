import { isatty } from 'node:tty';
import closeWithGrace from 'close-with-grace';
import type { Application } from '../compose.ts';
import { type Config, readConfig } from '../config/index.ts';
import { openLog } from '../logging/index.ts';
import { loadStorageAdapter } from '../stores/index.ts';
import { developmentToken, hasTokens } from '../tokens/index.ts';
import { startupMessage } from './startup-message.ts';

/** Maximum time of a graceful shutdown after its delay, in milliseconds; then the process exits regardless. */
export const SHUTDOWN_MS = 7_000;

/**
 * Runs the service until a signal stops it. Resolves once it is listening.
 *
 * SIGTERM comes from a supervisor, which tells load balancers at the same time: they get `SHUTDOWN_DELAY_MS` to notice. SIGINT
 * comes from a person, who should not have to wait. A second signal exits at once.
 *
 * @throws {Error} with a message for the operator if it cannot be started; {@link ConfigError} for a setting.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment, {
    outside: await loadStorageAdapter(environment['STORAGE_ADAPTER']),
    tokens: true,
  });
  const token = await generatedToken(config);
  const log = await openLog(config);
  const { logger } = log;
  for (const warning of config.warnings) logger.warn(warning);

  let application: Application | undefined;
  // What has nothing left to do ends by itself, with its exit code.
  closeWithGrace(
    { delay: config.SHUTDOWN_DELAY_MS + SHUTDOWN_MS, logger, skip: ['beforeExit'] },
    async ({ signal, err }) => {
      if (err) logger.fatal({ err }, 'unexpected error; exiting');
      const delayMs = application && signal !== 'SIGINT' && !err ? config.SHUTDOWN_DELAY_MS : 0;
      const then = delayMs > 0 ? `; stops accepting connections in ${delayMs} ms` : '';
      logger.info({ signal }, `graceful shutdown${then || (signal === 'SIGINT' ? '; Ctrl-C again to force' : '')}`);
      // While it is starting it has accepted nothing.
      await application?.stop(delayMs);
    },
  );

  const isAnnounced = !config.production && isatty(1) && isatty(2);
  const { compose } = await import('../compose.ts');
  application = await compose(token ? { ...config, API_TOKENS: token } : config, log, { isAnnounced });
  if (config.production) return;
  // For a person, so it is not a line of the log. The service runs whether or not it can be shown.
  process.stderr.on('error', () => {});
  process.stderr.write(startupMessage(application, config, token));
}

/** The token of a development machine; undefined if tokens are configured. */
async function generatedToken(config: Config): Promise<string | undefined> {
  return hasTokens(config) ? undefined : developmentToken(config.DATA_DIR);
}
