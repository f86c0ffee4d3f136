import cluster from 'node:cluster';
import { isatty } from 'node:tty';
import type { Application } from '../compose.ts';
import { type Config, readConfig } from '../config/index.ts';
import { openLog } from '../logging/index.ts';
import { developmentToken, hasTokens } from '../tokens/index.ts';
import { warnOfOpenFiles } from './file-descriptor-limit.ts';
import { endOnFailure, shutDownOnSignal } from './signals.ts';
import { killIfStalled } from './stall-guard.ts';
import { startupMessage } from './startup-message.ts';
import { serveForPrimary } from './worker.ts';
import { startWorkers } from './workers.ts';

/** Runs the service, in this process or in workers, until a signal stops it. Resolves once it is listening. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const token = await generatedToken(config);
  const log = await openLog(config);
  const { logger } = log;
  const accepted = token ? { ...config, tokens: token } : config;
  const isAnnounced = !config.production && isatty(1) && isatty(2);
  const start = async () => (await import('../compose.ts')).compose(accepted, log, { isAnnounced });
  // A primary needs none of it. Where it is needed it is loaded before the guard, which takes a slow load for a stall.
  if (cluster.isWorker || config.workers === 1) await import('../compose.ts');

  if (cluster.isWorker) return serveForPrimary(start, logger);
  killIfStalled();
  for (const warning of config.warnings) logger.warn(warning);
  const service = config.workers > 1 ? startWorkers(config.workers, logger) : startHere(start);
  shutDownOnSignal(service, config.shutdownDelayMs, logger);
  const addresses = await service.started;
  void service.failed.then(({ message }) => endOnFailure(service, message, logger));
  warnOfOpenFiles(config, addresses.storeConnections, (message) => logger.warn(message));
  if (config.production) return;
  // For a person, so it is not a line of the log. The service runs whether or not it can be shown.
  process.stderr.on('error', () => {});
  process.stderr.write(startupMessage(addresses, config, token));
}

function startHere(start: () => Promise<Application>) {
  let application: Application | undefined;
  const failure = Promise.withResolvers<Error>();
  const started = start().then((running) => {
    application = running;
    void running.failed.then(failure.resolve);
    return running;
  });
  // While it is starting it has accepted nothing.
  return { started, failed: failure.promise, stop: async (delayMs: number) => application?.stop(delayMs) };
}

/** The token of a development machine; undefined if tokens are configured. */
async function generatedToken(config: Config): Promise<string | undefined> {
  return hasTokens(config) ? undefined : developmentToken(config.dataDirectory);
}
