import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { storeContracts } from '@plant-store/contracts-stores';
import { onServer, ownServer, runSql } from '@plant-store/testing-mysql';
import { describe, expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';
import { aboutCrashes, aboutOutages, killing } from './outages.ts';

await onServer(
  () => {
    const server = ownServer();

    test('a row whose commit is not durable yet is not reported: a crash loses none that was', async () => {
      const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });
      await store.check();
      // The server writes the log of another session's commit when it pleases.
      await runSql(url, 'set global innodb_flush_log_at_timeout = 2700');
      await runSql(url, 'set global innodb_flush_log_at_trx_commit = 0');
      await runSql(url, "insert into plants (id, name) values (1, 'Fern'), (2, 'Moss')");
      await runSql(url, 'set global innodb_flush_log_at_trx_commit = 1');
      expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual({
        outcome: 'exists',
        plant: { name: 'Fern' },
      });
      await server.kill();
      await server.start();
      expect(await runSql(url, 'select id from plants order by id')).toEqual([{ id: '1' }, { id: '2' }]);
    });

    describe('on a server that is killed:', () => {
      describeContract(storeContracts, () => storeHarness(server.url, killing(server)), {
        clauses: (clause) => aboutOutages(clause) || aboutCrashes(clause),
      });
    });
  },
  { dedicated: true },
);
