import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { clausesThatNeed, storeContracts } from '@plant-store/contracts-stores';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { describe, expect, test } from 'vitest';
import { hold, migratedDatabase, openStore } from './open-store.ts';

const aboutOutages = clausesThatNeed('external', storeHarness(''));
const aboutCrashes = clausesThatNeed('survivesServerCrash', storeHarness(''));

function contracts(): void {
  describe('on a server that freezes:', () => {
    const server = ownServer({ fsync: false });
    const startOutage = () => server.pause().then(() => server.resume);
    describeContract(storeContracts, () => storeHarness(server.url, { startOutage }), { clauses: aboutOutages });
  });

  describe('on a server that is killed:', () => {
    const server = ownServer();

    test('a row whose commit is not durable yet is not reported: a crash loses none that was', async () => {
      const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });
      await store.check();
      // The server writes the log of another session's commit when it pleases.
      await runSql(url, 'set global innodb_flush_log_at_timeout = 2700');
      await runSql(url, 'set global innodb_flush_log_at_trx_commit = 0');
      await runSql(url, "insert into plants (id, name) values (1, 'Fern'), (2, 'Moss')");
      await runSql(url, 'set global innodb_flush_log_at_trx_commit = 1');
      const found = await store.plants.add({ id: 1n, name: 'Fern' });
      expect(found).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
      await server.kill();
      await server.start();
      expect(await runSql(url, 'select id from plants order by id')).toEqual([{ id: '1' }, { id: '2' }]);
    });

    const killServer = () => server.kill().then(() => server.start);
    // Reads succeed, commits wait.
    const failCommits = async () => (await hold(server.url, 'flush tables with read lock')).letGo;
    const faults = { startOutage: killServer, killServer, failCommits };
    describeContract(storeContracts, () => storeHarness(server.url, faults), {
      clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
    });
  });
}

await onServer(contracts, { dedicated: true });
