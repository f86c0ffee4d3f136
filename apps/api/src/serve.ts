import { compose } from './compose.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { developmentToken } from './development-token.ts';
import { createLogger } from './logger.ts';

/** How long a graceful shutdown may take before the process ends all the same, in milliseconds. */
const SHUTDOWN_MS = 10_000;

/** Runs the service until a signal ends it. Resolves once it listens. */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const token = await tokenOfThisMachine(config);
  const logger = createLogger(config);

  const application = await compose(token ? { ...config, tokens: token } : config, logger);
  endOnSignal(application.stop, (message) => logger.info(message));
  if (!config.production) greet(application.url, application.adminUrl, token ?? '<your token>');
}

/** A token made for this machine where none is set; a production service makes nothing up. */
async function tokenOfThisMachine(config: Config): Promise<string | undefined> {
  if (config.tokens !== '' || config.tokensFile !== undefined) return undefined;
  if (config.production) {
    throw new ConfigError(
      'No tokens are set: set API_TOKENS or API_TOKENS_FILE. "plant-store token new" makes a token and the entry for it.',
    );
  }
  return developmentToken(config.dataDirectory);
}

function greet(url: string, adminUrl: string | undefined, token: string): void {
  const lines = [
    '',
    `plant-store listens at ${url}${adminUrl ? `, for its operator at ${adminUrl}/readyz` : ''}`,
    '',
    'Create a plant:',
    '',
    `  curl -i ${url}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id": 1, "name": "Fern", "tag": "shade"}'`,
    '',
    'Ctrl-C ends it.',
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The first signal ends the service in order, a second one at once. */
function endOnSignal(stop: () => Promise<void>, log: (message: string) => void): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    log(`${signal}: ending; again to end at once`);
    setTimeout(() => {
      log(`still not ended after ${SHUTDOWN_MS} ms: ending now`);
      process.exit(1);
    }, SHUTDOWN_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log(`ended with an error: ${error instanceof Error ? error.message : String(error)}`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
