import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { ownServer } from '@plant-store/testing/postgres';
import { describe } from 'vitest';
import { waitForStandby } from './open-store.ts';

const aboutOutages = clausesThatNeed('external', storeHarness(''));
const failsCommits = ({ id }: { readonly id: string }) => id === 'PR-22';
const aboutCrashes = clausesThatNeed('survivesServerCrash', storeHarness(''));

describe('on a server that freezes:', () => {
  const server = ownServer({ fsync: false });
  const startOutage = () => server.pause().then(() => server.resume);
  describeContract(storeContracts, () => storeHarness(server.url, { startOutage }), { clauses: aboutOutages });
});

describe('on a server that is killed:', () => {
  const server = ownServer();
  const killServer = () => server.kill().then(() => server.start);
  const failCommits = async () => {
    await waitForStandby(server.url, 'none');
    return () => waitForStandby(server.url, '');
  };
  const faults = { startOutage: killServer, killServer, failCommits };
  describeContract(storeContracts, () => storeHarness(server.url, faults), {
    clauses: (clause) => aboutOutages(clause) || failsCommits(clause),
  });
  // On a busy disk an add may take seconds after the recovery.
  describeContract(storeContracts, () => storeHarness(server.url, { ...faults, timeoutMs: 10_000 }), {
    clauses: (clause) => aboutCrashes(clause) && !failsCommits(clause),
  });
});
