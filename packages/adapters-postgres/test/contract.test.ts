import { setTimeout as sleep } from 'node:timers/promises';
import { plantRepositoryContract, runClause } from '@plant-store/domain/contract';
import { type DedicatedServer, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closingOf, freezingOf, killingOf, type Outage } from './outages.ts';
import { postgresUnderTest } from './postgres-under-test.ts';

type Clause = (typeof plantRepositoryContract.clauses)[number];

async function expectKept(clause: Clause, outage: Outage, serverUrl?: string): Promise<void> {
  const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }) };
  const result = await runClause(clause, postgresUnderTest(outage, serverUrl), tools);
  expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'kept' });
}

describe('PlantRepository contract', () => {
  test.each(plantRepositoryContract.clauses)('$id $title', { timeout: 60_000 }, (clause) =>
    expectKept(clause, closingOf),
  );
});

describe('the clauses about outages, on a server of their own', () => {
  let server: DedicatedServer;
  beforeAll(async () => {
    server = await startDedicatedServer();
  });
  afterAll(() => server.stop());

  const clauses = plantRepositoryContract.clauses.filter(({ id }) => ['PR-12', 'PR-13', 'PR-14'].includes(id));

  test.each(clauses)('that is killed: $id $title', { timeout: 60_000 }, (clause) =>
    expectKept(clause, killingOf(server), server.url),
  );

  test.each(clauses)('that freezes: $id $title', { timeout: 60_000 }, (clause) =>
    expectKept(clause, freezingOf(server), server.url),
  );
});
