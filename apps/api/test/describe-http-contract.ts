import { httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Application } from '../src/index.ts';
import { composedService } from './composed-service.ts';
import { TOKEN } from './running-service.ts';

/** A record, and an exact id, from the request into the store and back: the wiring. The rest is the contract of stores. */
const aboutStores = ['HC-1', 'HC-11'];

/** The HTTP contract against the composed application on a store. adapters-http keeps all of its clauses. */
export function describeHttpContract(engine: string, databaseUrl: () => Promise<string>): void {
  describe(`the composed application on ${engine}:`, { concurrent: true }, () => {
    const otherToken = 'other-token-of-the-tests';
    let application: Application;

    beforeAll(async () => {
      // Clauses run concurrently: a slow machine must not reject some of them as overload.
      const limits = { DATABASE_MAX_WAIT_MS: '60000', API_TOKENS: `${TOKEN},${otherToken}` };
      application = await composedService({ DATABASE_URL: await databaseUrl(), ...limits });
    });

    afterAll(() => application.stop());

    describeContract(httpContract, () => ({ baseUrl: application.url, token: TOKEN, otherToken }), {
      clauses: ({ id }) => aboutStores.includes(id),
      concurrent: true,
    });
  });
}
