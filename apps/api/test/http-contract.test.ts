import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpContract } from '@plant-store/adapters-http/contract';
import { runClause } from '@plant-store/domain/contract';
import { freshDatabase } from '@plant-store/testing-postgres';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Application, compose, readConfig } from '../src/index.ts';
import { TOKEN } from './running-service.ts';

const OTHER_TOKEN = 'other-token-of-the-tests';

const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
afterAll(() => rm(directory, { recursive: true }));

const databaseUrl = {
  memory: async () => 'memory:',
  sqlite: async () => `sqlite:${join(directory, 'plants.db')}`,
  postgres: () => freshDatabase(),
};

describe.each(['memory', 'sqlite', 'postgres'] as const)(
  'the composed application on %s keeps the HTTP contract',
  (engine) => {
    let application: Application;

    beforeAll(async () => {
      const environment = {
        PORT: '0',
        ADMIN_PORT: 'off',
        API_TOKENS: `${TOKEN},${OTHER_TOKEN}`,
        DATABASE_URL: await databaseUrl[engine](),
      };
      application = await compose(readConfig(environment), pino({ level: 'silent' }));
    });

    afterAll(() => application.stop());

    test.concurrent.each(httpContract.clauses)('$id $title', { timeout: 60_000 }, async (clause) => {
      const service = { baseUrl: application.url, token: TOKEN, otherToken: OTHER_TOKEN };
      const result = await runClause(clause, service, { sleep: (ms) => sleep(ms, undefined, { ref: false }) });
      const { id, title } = clause;
      expect(result).toEqual({ id, title, verdict: 'kept' });
    });
  },
);
