import { migrateMysql } from '@plant-store/adapters-mysql';
import { textFields } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';
import { CATALOGUE, type Found, faultsOf } from '../src/table.ts';
import { migratedDatabase, openStore } from './open-store.ts';

const added = { outcome: 'added' };

const UTF8 = 'longtext character set utf8mb4';
const TABLE = 'alter table plants';
const RENAMED = 'rename table plants to old';

await onServer(() => {
  test.each<[change: string, fault: string]>([
    [`${TABLE} engine = MyISAM`, 'plants has the engine MyISAM, whose commits are not durable'],
    [`${TABLE} engine = Aria partition by hash (id)`, 'plants has the engine Aria'],
    ['alter table plant_store_sync engine = MyISAM', 'plant_store_sync has the engine MyISAM'],
    [`${TABLE} modify tag longtext character set utf8mb3`, 'tag is of the type longtext character set utf8mb3, not'],
    [`${TABLE} modify name varchar(9) not null`, 'name is of the type varchar(9) character'],
    [`${TABLE} modify name longblob not null`, 'name is of the type longblob, not longtext'],
    [`${TABLE} modify id int not null`, 'id is of the type int(11), not bigint'],
    [`${TABLE} modify id bigint unsigned`, 'id is of the type bigint(20) unsigned, not bigint'],
    [`${TABLE} modify tag ${UTF8} not null`, 'the column tag is NOT NULL, so plants'],
    [`${TABLE} add planter int not null`, 'planter is NOT NULL and has no default'],
    [`${TABLE} drop tag`, 'the column tag is missing'],
    [`${TABLE} drop tag, add tag ${UTF8} as ('x') stored`, 'the column tag is generated'],
    [`${TABLE} drop primary key`, 'its primary key is not id alone'],
    [`${TABLE} drop primary key, add primary key (id, name(9))`, 'its primary key is not id alone'],
    [`${RENAMED}; create view plants as select * from old`, 'it is a view'],
  ])('%s: %s', async (change, fault) => {
    const url = await migratedDatabase();
    for (const statement of change.split('; ')) await runSql(url, statement);
    const [found] = (await runSql(url, CATALOGUE)) as readonly unknown[] as readonly [Found];
    expect(faultsOf(found)).toEqual([expect.stringContaining(fault)]);
  });

  test.each([
    `add planted timestamp not null default current_timestamp, add kind enum ('a', 'b') not null, add nr int as (1)`,
    `modify id bigint not null auto_increment`,
    `add nr int not null auto_increment unique`,
    `modify name longtext character set utf8mb4 compressed not null`,
    `with system versioning`,
    `add since timestamp(6) generated always as row start, add until timestamp(6) generated always as row end,
      add period for system_time (since, until), add system versioning`,
    `modify name mediumtext character set utf8mb4 not null`,
    `partition by hash (id) partitions 2`,
  ])('%s: the table can store plants, beside a table whose name differs in case', async (change) => {
    const { store, url } = await openStore();
    await runSql(url, 'create table Plants (of_another_application int) engine = MyISAM');
    await runSql(url, `${TABLE} ${change}`);
    await store.check();
    const moss = { id: 0n, name: 'Moss 蕨', tag: 'NULL' };
    const other = await openStore({ connectionString: url });
    expect(await other.store.plants.add(moss)).toEqual(added);
    expect(await store.plants.add(moss)).toEqual({ outcome: 'exists', plant: { name: 'Moss 蕨', tag: 'NULL' } });
  });

  test('a missing table is an outage', async () => {
    const connectionString = await freshDatabase();
    const { store } = await openStore({ connectionString });
    await expect(store.check()).rejects.toThrow(NOT_MIGRATED);
    await migrateMysql({ connectionString });
    await expect.poll(() => store.plants.add({ id: 1n, name: 'Fern' }).catch(String)).toEqual(added);
  });

  test("MySQL's spelling of the types is accepted", () => {
    const columns = [
      { name: 'id', type: 'bigint', isNotNull: 1, isGenerated: 0, hasDefault: 0 },
      ...textFields.map((name) => ({ name, type: 'longtext character set utf8mb4', isNotNull: 0 })),
    ];
    const table = { setting: null, server: '', created: '1', name: 'd.plants', kind: 'InnoDB', key: 'id' };
    const found = { ...table, syncEngine: 'InnoDB', bytes: 1n, columns: JSON.stringify(columns) };
    expect(faultsOf(found)).toEqual([]);
  });
});
