import { mysqlCapabilities } from '@plant-store/adapters-mysql';
import { mysqlHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { plantExportContract, plantRepositoryContract } from '@plant-store/contracts-stores';
import { type DedicatedServer, freshDatabase, onMysql, startDedicatedServer } from '@plant-store/testing-mysql';
import { afterAll, beforeAll, describe } from 'vitest';
import { freezing, killing } from './outages.ts';

type Clause = (typeof plantRepositoryContract.clauses)[number];

/** Selects the clauses that bind a store only if it has this capability. */
const needs = (capability: 'external' | 'survivesServerCrash') => {
  const without = { ...mysqlHarness(''), capabilities: { ...mysqlCapabilities, [capability]: false } };
  return ({ appliesTo }: Clause) => appliesTo?.(without) === false;
};
const aboutOutages = needs('external');
const aboutCrashes = needs('survivesServerCrash');

await onMysql(async () => {
  const shared = mysqlHarness(await freshDatabase());

  // The shared server cannot be killed: see below.
  describeContract(plantRepositoryContract, shared, { clauses: (clause) => !aboutCrashes(clause) });
  describeContract(plantExportContract, shared);

  describe('about outages and crashes, on a server of its own', () => {
    let server: DedicatedServer;
    beforeAll(async () => {
      server = await startDedicatedServer();
    });
    afterAll(() => server.stop());

    describe('that is killed:', () => {
      describeContract(plantRepositoryContract, () => mysqlHarness(server.url, killing(server)), {
        clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
      });
    });

    describe('that freezes:', () => {
      describeContract(plantRepositoryContract, () => mysqlHarness(server.url, freezing(server)), {
        clauses: aboutOutages,
      });
    });
  });
});
