import cluster from 'node:cluster';
import { compose } from '../compose.ts';
import { type Config, readConfig } from '../config/index.ts';
import { openLog } from '../logging/index.ts';
import { developmentToken, hasTokens } from '../tokens/index.ts';
import { warnOfOpenFiles } from './file-descriptor-limit.ts';
import { shutDownOnSignal } from './signals.ts';
import { startupMessage } from './startup-message.ts';
import { shutDownWithPrimary, startWorkers } from './workers.ts';

/** Runs the service, in this process or in workers, until a signal stops it. Resolves once it is listening. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const token = await generatedToken(config);
  const log = await openLog(config);
  const { logger } = log;
  const accepted = token ? { ...config, tokens: token } : config;

  if (cluster.isWorker) return shutDownWithPrimary(await compose(accepted, log));
  for (const warning of config.warnings) logger.warn(warning);
  warnOfOpenFiles(config, (message) => logger.warn(message));
  const starting = config.workers > 1 ? startWorkers(config.workers, logger) : compose(accepted, log);
  shutDownOnSignal(async (delayMs) => (await starting).stop(delayMs), config.shutdownDelayMs, logger);
  const service = await starting;
  // For a person, so it is not a line of the log.
  if (!config.production) process.stderr.write(startupMessage(service, config.docs, token));
}

/** The token of a development machine; undefined if tokens are configured. */
async function generatedToken(config: Config): Promise<string | undefined> {
  return hasTokens(config) ? undefined : developmentToken(config.dataDirectory);
}
