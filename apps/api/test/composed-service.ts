import { pino } from 'pino';
import { type Application, compose, readConfig } from '../src/index.ts';
import { loadStorageAdapter } from '../src/stores.ts';
import { TOKEN } from './running-service.ts';

/**
 * Starts the service in this process, on a free port and over a store in memory, for whatever is not about its process, which takes
 * most of a second of CPU to start.
 *
 * @param log gets the lines of its log.
 */
export async function composedService(
  environment: Record<string, string> = {},
  log: string[] = [],
): Promise<Application> {
  const variables = { PORT: '0', ADMIN_PORT: 'off', API_TOKENS: TOKEN, DATABASE_URL: 'memory:', ...environment };
  const outside = await loadStorageAdapter(environment['STORAGE_ADAPTER']);
  const config = readConfig(variables, { outside });
  // A busy machine must not look like an overload.
  const storeLimits = { ...config.storeLimits, maxWaitMs: 60_000 };
  return compose({ ...config, storeLimits }, pino({ base: null }, { write: (line) => void log.push(line) }));
}
