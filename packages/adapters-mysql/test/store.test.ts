import { migrateMysql, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { completeServerOptions, openPlantStore } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { onServer, runSql } from '@plant-store/testing/mysql';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { statementsOn } from '../src/statements.ts';
import { hold, migratedDatabase, openStore, toRun, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

/** A store that does what it does on MySQL, which has no blocks outside of procedures. */
async function openByHalves() {
  const connectionString = await migratedDatabase();
  const options = completeServerOptions({ connectionString, timeoutMs: 10_000, maxWaitMs: 60_000 });
  const database = openDatabase(options);
  const { insertApart: _, ...statements } = statementsOn(database, options);
  const store = openPlantStore(sqlEngine(database.db, statements, options), options);
  onTestFinished(() => store.close());
  return { store, url: connectionString };
}

const openings = { 'in a block': () => openStore({ timeoutMs: 10_000 }), 'by halves': openByHalves };

await onServer(() => {
  test('a row that stays locked is unavailable by the deadline, and who has locked it is said as far as it is known', async () => {
    const url = await migratedDatabase();
    const statement = "insert into plants (id, name) values (1, 'held')";
    // Of another database, and for longer.
    await hold(await migratedDatabase(), statement);
    const { id } = await hold(url, statement);
    const holder = `connection ${id}, user "${new URL(url).username}", since "\\d{4}-.*"`;
    const reasons = [
      [url, `${holder} has locked the row of plant 1: end its transaction`],
      [(await userWith(url, toRun)).href, 'another session has .* \\(see information_schema.innodb_trx\\)'],
    ] as const;
    for (const [connectionString, reason] of reasons) {
      const { store } = await openStore({ timeoutMs: 4_000, connectionString });
      // One whose last attempt does not end in time is only told so.
      const told = () => store.plants.add(fern).catch(({ message }) => message);
      await expect.poll(told, { timeout: 20_000 }).toMatch(new RegExp(`^${reason}$`));
    }
  });

  test.each(Object.entries(openings))(
    'written %s, what is locked, taken or refused keeps nothing else of its batch from being inserted',
    async (_, open) => {
      const { store, url } = await open();
      await runSql(url, "insert into plants (id, name) values (3, 'Moss'), (4, 'Moss'), (6, 'Moss')");
      await runSql(url, 'alter table plants add constraint refuse check (id <> 2), add unique (tag(20))');
      const holders = await Promise.all(
        [
          'delete from plants where id in (3, 4)',
          "update plants set name = 'held' where id = 6",
          "insert into plants (id, name) values (8, 'held')",
        ].map((statement) => hold(url, statement)),
      );
      const adding = Array.from({ length: 20 }, (_, at) =>
        store.plants.add({ ...fern, id: BigInt(at), tag: at === 11 ? '10' : `${at}` }),
      );
      const settled = await Promise.allSettled(adding.filter((_, at) => at !== 8));
      const outcomes = settled.map((each) => (each.status === 'fulfilled' ? each.value.outcome : each.reason.name));
      // What is only being changed or deleted is there already, as it was.
      const expected = Object.assign(Array(20).fill('added'), { 2: 'PlantRefused', 11: 'PlantRefused' });
      Object.assign(expected, { 3: 'exists', 4: 'exists', 6: 'exists' });
      expect(outcomes).toEqual(expected.toSpliced(8, 1));
      expect(await adding[6]).toEqual({ outcome: 'exists', plant: { name: 'Moss' } });
      for (const { letGo } of holders) await letGo();
      expect(await adding[8]).toEqual(added);
    },
  );

  test('what is found is made durable, and a check commits', async () => {
    const { store, url } = await openStore();
    await store.plants.add(fern);
    expect(await runSql(url, 'select * from plant_store_sync')).toEqual([]);
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
    await store.check();
    expect(await runSql(url, 'select concat(sum(writes)) as writes from plant_store_sync')).toEqual([{ writes: '2' }]);
  });

  test('a user with what is documented, and no more, starts the service and adds', async () => {
    const { href: connectionString } = await userWith(await migratedDatabase(), toRun);
    expect(await mysqlMigrationStatus({ connectionString })).toEqual([{ name: '0001-create-plants', applied: true }]);
    await migrateMysql({ connectionString });
    const { store } = await openStore({ connectionString });
    await store.check();
    expect(await store.plants.add(fern)).toEqual(added);
    const adding = [1n, 4n].map((id) => store.plants.add({ ...fern, id }));
    expect(await Promise.all(adding)).toEqual([{ outcome: 'exists', plant: { name: 'Fern' } }, added]);
  });
});
