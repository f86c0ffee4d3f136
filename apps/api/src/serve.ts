import { setTimeout as sleep } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { type Application, compose } from './compose.ts';
import { type Config, maskedUrl, readConfig } from './config.ts';
import { openLog } from './log.ts';
import { loadStorageAdapter } from './stores.ts';
import { developmentToken, developmentTokenFile, hasTokens } from './tokens.ts';
import { version } from './version.ts';

/** 6.5 s: the maximum time of a graceful shutdown after its delay. The process then exits, so that it ends within 7 s. */
const SHUTDOWN_MS = 6_500;

/** 2 s: how long the reader of the log may take for its last lines. Requests in flight need less than 5 s of the 7. */
const FLUSH_MS = 2_000;

/**
 * Runs the service until a signal stops it. Resolves once it is listening.
 *
 * After SIGTERM, load balancers get `SHUTDOWN_DELAY_MS` to notice, because a supervisor informs them at the same time. After
 * SIGINT, which a person sends, the shutdown starts at once. A second signal exits at once.
 *
 * @throws {ConfigError} if a setting is wrong; {@link Error} with a message for the operator if the service cannot start.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const outside = await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  const config = readConfig(environment, { outside, tokens: true });
  const token = hasTokens(config) ? undefined : await developmentToken(config);
  const logger = await openLog(config.LOG_LEVEL);
  for (const warning of config.warnings) logger.warn(warning);

  let application: Application | undefined;
  // `beforeExit` is skipped: a process with nothing left to do ends by itself, with its exit code.
  closeWithGrace(
    { delay: config.SHUTDOWN_DELAY_MS + SHUTDOWN_MS, logger, skip: ['beforeExit'] },
    async ({ signal, err }) => {
      exitDespiteResolver();
      if (err) logger.fatal({ err }, 'unexpected error; exiting');
      const delayMs = application && signal !== 'SIGINT' && !err ? config.SHUTDOWN_DELAY_MS : 0;
      const then = delayMs > 0 ? `; stops accepting connections in ${delayMs} ms` : '';
      logger.info({ signal }, `graceful shutdown${then || (signal === 'SIGINT' ? '; Ctrl-C again to force' : '')}`);
      // A service that is still starting has no requests to complete.
      await application?.stop(delayMs);
      // At exit, pino would wait for a reader that has stopped, however long that takes.
      if (!(await Promise.race([flush(logger), sleep(FLUSH_MS, false)]))) process.kill(process.pid, 'SIGKILL');
    },
  );

  application = await compose(token ? { ...config, API_TOKENS: token } : config, logger);
  if (config.production) return;
  // The message is for a person and not part of the log. The service runs even if it cannot be shown.
  process.stderr.on('error', () => {});
  process.stderr.write(startupMessage(application, config, token));
}

/** Ends the process although a resolver of names is silent: at exit, Node waits for the threads that ask it, 15 s and more. */
function exitDespiteResolver(): void {
  process.on('exit', () => {
    if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) process.kill(process.pid, 'SIGKILL');
  });
}

/** Resolves with true when the log is written. */
function flush(logger: Logger): Promise<true> {
  return new Promise((resolve) => logger.flush(() => resolve(true)));
}

/** The addresses of the service, and a command that creates a plant. @param token the generated token; configured ones are not shown. */
function startupMessage({ url, adminUrl, storeState }: Application, config: Config, token?: string): string {
  const lines = [
    `store  ${maskedUrl(config.DATABASE_URL)}, ${storeState}`,
    `token  ${token ? `${developmentTokenFile(config)}, generated at the first start` : 'as configured'}`,
    ...(config.DOCS === 'on' ? [`page   ${url}/docs`] : []),
    ...(adminUrl ? [`admin  ${adminUrl}/livez, /readyz, /metrics`] : []),
  ];
  return `
plant-store ${version()} (development) listening on ${url}
${lines.map((line) => `  ${line}\n`).join('')}
Create a plant:

  curl -i ${url}/plants -H 'Authorization: Bearer ${token ?? '<your token>'}' -H 'Content-Type: application/json' -d '{"id": 1, "name": "Fern", "tag": "shade"}'

Press Ctrl-C to stop.

`;
}
