import { httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { pino } from 'pino';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Application, compose, readConfig } from '../src/index.ts';
import { TOKEN } from './running-service.ts';

const OTHER_TOKEN = 'other-token-of-the-tests';

/** The clauses that a store can break. */
const aboutStores = ['HC-1', 'HC-2', 'HC-8', 'HC-13', 'HC-14', 'HC-18', 'HC-19', 'HC-20', 'HC-21'];

/**
 * The HTTP contract against the composed application on a store.
 * @param clauses their ids; by default those that a store can break.
 */
export function describeHttpContract(engine: string, databaseUrl: () => Promise<string>, clauses = aboutStores): void {
  describe(`the composed application on ${engine}:`, { concurrent: true }, () => {
    let application: Application;

    beforeAll(async () => {
      const environment = {
        PORT: '0',
        ADMIN_PORT: 'off',
        API_TOKENS: `${TOKEN},${OTHER_TOKEN}`,
        DATABASE_URL: await databaseUrl(),
        // Clauses run concurrently: a slow machine must not reject some of them as overload.
        DATABASE_MAX_WAIT_MS: '60000',
      };
      application = await compose(readConfig(environment), { logger: pino({ level: 'silent' }) });
    });

    afterAll(() => application.stop());

    describeContract(httpContract, () => ({ baseUrl: application.url, token: TOKEN, otherToken: OTHER_TOKEN }), {
      clauses: ({ id }) => clauses.includes(id),
      concurrent: true,
    });
  });
}
