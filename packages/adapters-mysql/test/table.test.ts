import { mysqlStorage } from '@plant-store/adapters-mysql';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const added = { outcome: 'added' };
const UTF8 = 'longtext character set utf8mb4';
const TABLE = 'alter table plants';
const TRIGGER = 'create trigger t before insert on plants for each row';

await onServer(() => {
  test.each<[change: string, fault: RegExp]>([
    ['alter table plant_store_sync engine = MyISAM', /plant_store_sync has the engine MyISAM/],
    [`${TABLE} modify name varchar(9) not null`, /cannot store plants|rejected/],
    [`${TABLE} modify name ${UTF8} collate utf8mb4_bin compressed, drop tag`, /differs from the one/],
    [`${TRIGGER} set new.id = new.id + 1`, /it hides or deletes the plant/],
    [`${TRIGGER} set new.tag = nullif(new.tag, '')`, /its column tag changes "" to null/],
  ])('%s: no store opens', async (change, fault) => {
    const url = await migratedDatabase();
    await runSql(url, change);
    const opening = openStore({ connectionString: url });
    await expect(opening).rejects.toThrow(fault);
    await expect(opening).rejects.toMatchObject({ name: 'StoreMisconfigured' });
  });

  test.each([
    `add planted timestamp not null default current_timestamp, add nr int as (1)`,
    `with system versioning`,
    `partition by hash (id) partitions 2`,
  ])('%s: the table can store plants, beside a table whose name differs in case', async (change) => {
    const { store, url } = await openStore();
    await runSql(url, 'create table Plants (of_another_application int) engine = MyISAM');
    await runSql(url, `${TABLE} ${change}`);
    const moss = { id: 0n, name: 'Moss 蕨', tag: 'NULL' };
    const other = await openStore({ connectionString: url });
    expect(await other.store.plants.add(moss)).toEqual(added);
    expect(await store.plants.add(moss)).toEqual({ outcome: 'exists', plant: { name: 'Moss 蕨', tag: 'NULL' } });
  });

  test('P8/F11 until the database is migrated, the store is not ready and says so', async () => {
    const connectionString = await freshDatabase();
    const { store } = await openStore({ connectionString });
    await expect(store.check()).rejects.toThrow(/run the migrations/);
    await mysqlStorage({ connectionString }).migrate();
    await expect
      .poll(() => store.plants.add({ id: 1n, name: 'Fern' }).catch(String), { timeout: 20_000 })
      .toEqual(added);
  });
});
