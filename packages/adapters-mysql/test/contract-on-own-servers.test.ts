import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { onServer, ownServer } from '@plant-store/testing/mysql';
import { describe } from 'vitest';
import { openTransaction } from './open-store.ts';

const aboutOutages = clausesThatNeed('external', storeHarness(''));
const failsCommits = ({ id }: { readonly id: string }) => id === 'PR-22';
const aboutCrashes = clausesThatNeed('survivesServerCrash', storeHarness(''));

function contracts(): void {
  describe('on a server that freezes:', () => {
    const server = ownServer({ fsync: false });
    const startOutage = () => server.pause().then(() => server.resume);
    describeContract(storeContracts, () => storeHarness(server.url, { startOutage }), { clauses: aboutOutages });
  });

  describe('on a server that is killed:', () => {
    const server = ownServer();

    const killServer = () => server.kill().then(() => server.start);
    // With this lock reads succeed and commits wait.
    const failCommits = async () => (await openTransaction(server.url, 'flush tables with read lock')).end;
    const faults = { startOutage: killServer, killServer, failCommits };
    describeContract(storeContracts, () => storeHarness(server.url, faults), {
      clauses: (clause) => aboutOutages(clause) || failsCommits(clause),
    });
    // On a busy disk an add may take seconds after the recovery.
    describeContract(storeContracts, () => storeHarness(server.url, { ...faults, timeoutMs: 10_000 }), {
      clauses: (clause) => aboutCrashes(clause) && !failsCommits(clause),
    });
  });
}

await onServer(contracts, { dedicated: true });
