import { pino } from 'pino';
import { type Application, compose, readConfig } from '../src/index.ts';
import { TOKEN } from './running-service.ts';

/**
 * Starts the service in this process, on a free port and over a store in memory, for whatever is not about its process:
 * that takes most of a second of CPU to start.
 */
export function composedService(environment: Record<string, string> = {}): Promise<Application> {
  const variables = { PORT: '0', ADMIN_PORT: 'off', API_TOKENS: TOKEN, DATABASE_URL: 'memory:', ...environment };
  return compose(readConfig(variables), { logger: pino({ level: 'silent' }) }, { environment: variables });
}
