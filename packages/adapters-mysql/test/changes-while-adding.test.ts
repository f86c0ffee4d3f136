import { setTimeout as sleep } from 'node:timers/promises';
import type { PlantStore } from '@plant-store/domain';
import { plantColumns } from '@plant-store/store-kit';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const COPY = 'create table copy like plants';
const SWAP = 'rename table plants to former, copy to plants';
const LACKS = /took the place of the table plants, and lacks plant \d+: put the former table back/;

/** Runs the statements beside adds, and resolves with the first error of an add within this time. Nothing calls `check`. */
async function errorWhileAdding(
  store: PlantStore,
  url: string,
  statements: readonly string[],
  withinMs: number,
): Promise<string> {
  let [next, isEnding] = [100n, false];
  const errors: string[] = [];
  const client = async () => {
    while (!isEnding) {
      await store.plants.add({ id: next++, name: 'Fern' }).catch(({ message }) => errors.push(message));
      await sleep(2);
    }
  };
  const clients = Promise.all([client(), client(), client()]);
  // The store knows a plant by then. The server knows the age of a table in seconds.
  await expect.poll(() => next).toBeGreaterThan(110n);
  await sleep(1_100);
  for (const statement of statements) await runSql(url, statement);
  const over = performance.now() + withinMs;
  while (errors.length === 0 && performance.now() < over) await sleep(20);
  isEnding = true;
  await clients;
  return String(errors[0]);
}

await onServer(
  () => {
    const server = ownServer({ fsync: false, parameters: ['--log-bin=log', '--sync-binlog=1'] });
    const database = () => migratedDatabase(server.url);

    test.each<[change: readonly string[], reason: RegExp, repair: readonly string[]]>([
      [
        ['set global innodb_flush_log_at_trx_commit = 0', 'set global sync_binlog = 0'],
        /innodb_flush_log_at_trx_commit is not 1, so a crash of the server loses what was acknowledged/,
        ['set global innodb_flush_log_at_trx_commit = 1', 'set global sync_binlog = 1'],
      ],
      [[COPY, SWAP], LACKS, ['rename table plants to copy, former to plants']],
      [[COPY, SWAP], LACKS, ['insert ignore into plants select * from former']],
      [['alter table plants engine = MyISAM'], /has the engine MyISAM/, ['alter table plants engine = InnoDB']],
    ])('beside adds, «%s» is noticed until it is repaired', async (change, reason, repair) => {
      const { store, url } = await openStore({ connectionString: await database() });
      expect(await errorWhileAdding(store, url, change, 30_000)).toMatch(reason);
      await expect(store.plants.add({ id: 1n, name: 'Fern' })).rejects.toThrow(/ \(circuit breaker open\)$/);
      for (const statement of repair) await runSql(url, statement);
      await store.check();
      expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual({ outcome: 'added' });
    });

    test.each<[what: string, change: readonly string[]]>([
      // As pt-online-schema-change does.
      [
        'an online copy',
        [
          COPY,
          `create trigger copying after insert on plants for each row replace into copy values (${plantColumns.map((name) => `new.${name}`)})`,
          'insert ignore into copy select * from plants',
          SWAP,
        ],
      ],
      ['ALTER TABLE', ['alter table plants add planted timestamp default current_timestamp']],
      ['OPTIMIZE TABLE', ['optimize table plants']],
      ['DELETE', ['delete from plants']],
      ['TRUNCATE TABLE', ['truncate table plants']],
    ])('%s beside adds rejects no plant', async (_, change) => {
      const { store, url } = await openStore({ connectionString: await database() });
      expect(await errorWhileAdding(store, url, change, 1_000)).toBe('undefined');
      await store.check();
    });

    test('after a failover to a server that has lost plants, the store goes on', async () => {
      const { store, url } = await openStore({ connectionString: await database() });
      await store.plants.add({ id: 1n, name: 'Fern' });
      await sleep(1_100);
      for (const statement of [COPY, SWAP, 'set global server_id = 2']) await runSql(url, statement);
      await store.check();
      expect(await store.plants.add({ id: 1n, name: 'Moss' })).toEqual({ outcome: 'added' });
    });
  },
  { dedicated: true },
);
