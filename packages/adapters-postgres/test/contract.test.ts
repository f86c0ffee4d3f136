import { postgresCapabilities } from '@plant-store/adapters-postgres';
import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { type DedicatedServer, freshDatabase, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closing, freezing, killing } from './outages.ts';

type Clause = (typeof plantRepositoryContract.clauses)[number];

/** On the server that the run shares. */
const shared = await freshDatabase();

/** Selects the clauses that bind a store only if it has this capability. */
const needs = (capability: 'external' | 'survivesServerCrash') => {
  const without = { ...postgresHarness(''), capabilities: { ...postgresCapabilities, [capability]: false } };
  return ({ appliesTo }: Clause) => appliesTo?.(without) === false;
};
const aboutOutages = needs('external');
const aboutCrashes = needs('survivesServerCrash');

// The shared server cannot be killed: see below.
describeContract(plantRepositoryContract, postgresHarness(shared, closing), {
  clauses: (clause) => !aboutCrashes(clause),
});

describe('about outages, as plant-store verify-store runs it:', () => {
  describeContract(plantRepositoryContract, postgresHarness(shared), { clauses: aboutOutages });
});

describe('about outages and crashes, on a server of its own', () => {
  let server: DedicatedServer;
  beforeAll(async () => {
    server = await startDedicatedServer();
  });
  afterAll(() => server.stop());

  describe('that is killed:', () => {
    describeContract(plantRepositoryContract, () => postgresHarness(server.url, killing(server)), {
      clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
    });
  });

  describe('that freezes:', () => {
    describeContract(plantRepositoryContract, () => postgresHarness(server.url, freezing(server)), {
      clauses: aboutOutages,
    });
  });
});

// Without one of them its clauses would be skipped, and everything would be green.
test('no capability is lost', () => {
  expect(postgresCapabilities).toEqual({
    durable: true,
    survivesCrash: true,
    survivesServerCrash: true,
    shared: true,
    external: true,
    observed: true,
    timeoutMs: 2_000,
  });
});
