import { setTimeout as sleep } from 'node:timers/promises';
import { plantRepositoryContract, runClause } from '@plant-store/domain/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FailingServer, failingServers } from './failing-servers.ts';
import { postgresUnderTest } from './postgres-under-test.ts';

describe.each(Object.entries(failingServers))('PlantRepository contract on a server %s', (_, start) => {
  let server: FailingServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  test.each(plantRepositoryContract.clauses)('$id $title', { timeout: 60_000 }, async (clause) => {
    const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }) };
    const result = await runClause(clause, postgresUnderTest(server), tools);
    expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'kept' });
  });
});
