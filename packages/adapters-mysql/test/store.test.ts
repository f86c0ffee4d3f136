import { mysqlStorage } from '@plant-store/adapters-mysql';
import { onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore, openTransaction, servicePrivileges, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

await onServer(() => {
  test('P3/F5 locked, taken and rejected plants do not keep the rest of their batch from being inserted', async () => {
    const { store, url } = await openStore();
    await runSql(
      url,
      "insert into plants (id, name, tag) values (3, 'Moss', 3), (4, 'Moss', 4), (6, 'Moss', 6), (99, 'Moss', 'taken')",
    );
    await runSql(url, 'alter table plants add constraint refuse check (id <> 2), add unique (tag(20))');
    const holders = await Promise.all(
      [
        'delete from plants where id in (3, 4)',
        "update plants set name = 'held' where id = 6",
        "insert into plants (id, name) values (8, 'held')",
      ].map((statement) => openTransaction(url, statement)),
    );
    const adding = Array.from({ length: 20 }, (_, at) =>
      store.plants.add({ ...fern, id: BigInt(at), tag: at === 11 ? 'taken' : `${at}` }),
    );
    const settled = await Promise.allSettled(adding.filter((_, at) => at !== 8));
    const outcomes = settled.map((each) => (each.status === 'fulfilled' ? each.value.outcome : each.reason.name));
    // Rows with uncommitted changes exist as they were before.
    const expected = Object.assign(Array(20).fill('added'), { 2: 'PlantRefused', 11: 'PlantRefused' });
    Object.assign(expected, { 3: 'exists', 4: 'exists', 6: 'exists' });
    expect(outcomes).toEqual(expected.toSpliced(8, 1));
    expect(await adding[6]).toEqual({ outcome: 'exists', plant: { name: 'Moss', tag: '6' } });
    for (const { end } of holders) await end();
    expect(await adding[8]).toEqual(added);
  });

  test('P1/F2 finding a row makes it durable', async () => {
    const { store, url } = await openStore();
    await store.plants.add(fern);
    const countWrites = async () =>
      Number((await runSql(url, 'select concat(sum(writes)) as writes from plant_store_sync'))[0]?.['writes']);
    const before = await countWrites();
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
    expect(await countWrites()).toBeGreaterThan(before);
  });

  test('the documented privileges suffice to start the service and to add', async () => {
    const { href: connectionString } = await userWith(await migratedDatabase(), servicePrivileges);
    const { status, migrate } = mysqlStorage({ connectionString });
    expect(await migrate()).toEqual(await status());
    const { store } = await openStore({ connectionString });
    expect(await store.plants.add(fern)).toEqual(added);
    const adding = [1n, 4n].map((id) => store.plants.add({ ...fern, id }));
    expect(await Promise.all(adding)).toEqual([{ outcome: 'exists', plant: { name: 'Fern' } }, added]);
  });
});
