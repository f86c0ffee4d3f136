import { join } from 'node:path';
import { httpContract } from '@plant-store/contracts-http';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import type { Application } from '../../src/index.ts';
import { storageAdapters } from '../../src/stores.ts';
import { composedService } from '../composed-service.ts';
import { scratchDirectory, TOKEN } from '../running-service.ts';

/** What `@plant-store/testing/<engine>` exports for the tests here. */
interface TestServer {
  /** The URL of an empty place on the server that the run shares. */
  freshDatabase(): Promise<string>;
  /** Defines tests, or one that is skipped where the run has no server; without it there always is one. */
  onServer?(define: () => void): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The engines whose servers are started for the tests of this project. */
    readonly engines: readonly string[];
  }
}

/** A record, and an exact id, from the request into the store and back: the wiring. The rest is the contract of stores. */
const aboutStores = ['HC-1', 'HC-11'];
const otherToken = 'other-token-of-the-tests';

function describeHttpContract(engine: string, databaseUrl: () => Promise<string>): void {
  describe(`the composed application on ${engine}:`, { concurrent: true }, () => {
    let application: Application;
    beforeAll(async () => {
      const API_TOKENS = `${TOKEN},${otherToken}`;
      const DATABASE_URL = await databaseUrl();
      // On a busy machine an add may take seconds.
      application = await composedService({ DATABASE_URL, API_TOKENS, DATABASE_TIMEOUT_MS: '20000' });
      return () => application.stop();
    });
    describeContract(httpContract, () => ({ baseUrl: application.url, token: TOKEN, otherToken, responseMs: 60_000 }), {
      clauses: ({ id }) => aboutStores.includes(id),
      concurrent: true,
    });
  });
}

for (const engine of inject('engines')) {
  const { freshDatabase, onServer }: TestServer = await import(/* @vite-ignore */ `@plant-store/testing/${engine}`);
  const define = () => describeHttpContract(engine, freshDatabase);
  if (onServer) await onServer(define);
  else define();
}

if (inject('engines').length === 0) {
  const directory = await scratchDirectory(afterAll);
  // A store without a server has the path of a file in its URL, or nothing.
  for (const { form } of storageAdapters.filter(({ form }) => !form.includes('//')))
    describeHttpContract(form, async () => form.replace('<path>', join(directory, 'plants.db')));
}
