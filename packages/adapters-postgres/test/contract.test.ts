import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { postgresCapabilities } from '@plant-store/adapters-postgres';
import { type Faults, postgresHarness } from '@plant-store/adapters-postgres/harness';
import { runClause } from '@plant-store/contracts-kit';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { type DedicatedServer, freshDatabase, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { closing, freezing, killing } from './outages.ts';

type Clause = (typeof plantRepositoryContract.clauses)[number];

/** On the server that the run shares. */
const shared = await freshDatabase();

const { clauses } = plantRepositoryContract;
const aboutOutages = clausesOf('external');
const aboutCrashes = clausesOf('survivesServerCrash');

/** Those that bind a store only if it makes the promise. */
function clausesOf(promise: 'external' | 'survivesServerCrash'): readonly Clause[] {
  const less = { ...postgresHarness(''), capabilities: { ...postgresCapabilities, [promise]: false } };
  return clauses.filter(({ appliesTo }) => appliesTo?.(less) === false);
}

async function expectKept(clause: Clause, { skip }: TestContext, url: string, faults?: Faults): Promise<void> {
  const tools = { sleep: (ms: number) => sleep(ms, undefined, { ref: false }), nextTurn };
  const result = await runClause(clause, postgresHarness(url, faults), tools);
  if (result.verdict === 'not-promised') skip('not promised');
  expect(result).toEqual({ id: clause.id, title: clause.title, verdict: 'passed' });
}

describe('PlantRepository contract', () => {
  // Nobody kills the server that the run shares: see below.
  test.for(clauses.filter((clause) => !aboutCrashes.includes(clause)))(
    '$id $title',
    { timeout: 70_000 },
    (clause, context) => expectKept(clause, context, shared, closing),
  );
});

describe('the clauses about outages, as plant-store verify-store runs them', () => {
  test.for(aboutOutages)('$id $title', (clause, context) => expectKept(clause, context, shared));
});

describe('the clauses about outages and crashes, on a server of their own', () => {
  let server: DedicatedServer;
  beforeAll(async () => {
    server = await startDedicatedServer();
  });
  afterAll(() => server.stop());

  test.for([...aboutOutages, ...aboutCrashes])('that is killed: $id $title', (clause, context) =>
    expectKept(clause, context, server.url, killing(server)),
  );

  test.for(aboutOutages)('that freezes: $id $title', (clause, context) =>
    expectKept(clause, context, server.url, freezing(server)),
  );
});
