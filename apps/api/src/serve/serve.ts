import cluster from 'node:cluster';
import { compose } from '../compose.ts';
import { type Config, readConfig } from '../config/config.ts';
import { createLogger } from '../logging/logger.ts';
import { developmentToken } from '../tokens/development-token.ts';
import { hasTokens } from '../tokens/has-tokens.ts';
import { greeting } from './greeting.ts';
import { warnOfOpenFiles } from './open-files.ts';
import { endOnSignal } from './signals.ts';
import { endWithPrimary, startWorkers } from './workers.ts';

/** Runs the service, in this process or in as many workers as it has, until a signal ends it. Resolves once it listens. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const token = await tokenOfThisMachine(config);
  const logger = createLogger(config);
  const accepted = token ? { ...config, tokens: token } : config;

  if (cluster.isWorker) return endWithPrimary(await compose(accepted, logger));
  warnOfOpenFiles(config, (message) => logger.warn(message));
  const starting = config.workers > 1 ? startWorkers(config.workers, logger) : compose(accepted, logger);
  endOnSignal(async (delayMs) => (await starting).stop(delayMs), config.shutdownDelayMs, logger);
  const service = await starting;
  // For a person, so not among the lines of the log.
  if (!config.production) process.stderr.write(greeting(service, config.docs, token));
}

/** A token made for this machine where none is set. */
async function tokenOfThisMachine(config: Config): Promise<string | undefined> {
  return hasTokens(config) ? undefined : developmentToken(config.dataDirectory);
}
