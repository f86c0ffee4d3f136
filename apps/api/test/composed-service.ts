import { pino } from 'pino';
import { compose, readConfig } from '../src/index.ts';
import { TOKEN } from './running-service.ts';

/** The service in this process. */
export interface ComposedService {
  readonly url: string;
  readonly adminUrl: string;
  /** What it has logged so far. */
  output(): string;
  /** Shuts down as a signal would; at the latest at the end of the test. */
  stop(): Promise<void>;
}

/**
 * Starts the service in this process, on free ports, for whatever is not about its process: that takes most of a second of
 * CPU to start.
 */
export async function composedService(
  environment: Record<string, string>,
  onTestFinished: (stop: () => Promise<void>) => void,
): Promise<ComposedService> {
  const variables = { PORT: '0', ADMIN_PORT: '0', API_TOKENS: TOKEN, DATABASE_URL: 'memory:', ...environment };
  const config = readConfig(variables);
  let output = '';
  const write = (line: string) => {
    output += line;
  };
  const logger = pino({ level: config.logLevel }, { write });
  const { url, adminUrl = '', stop } = await compose(config, logger, { environment: variables });
  onTestFinished(stop);
  return { url, adminUrl, output: () => output, stop };
}
