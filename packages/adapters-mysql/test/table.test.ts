import { migrateMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured } from '@plant-store/domain';
import { NOT_MIGRATED } from '@plant-store/store-kit';
import { freshDatabase, onServer, runSql } from '@plant-store/testing/mysql';
import { expect, test } from 'vitest';
import { faultsOf } from '../src/table.ts';
import { openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const added = { outcome: 'added' };

const UTF8 = 'longtext character set utf8mb4';
const RENAMED = 'rename table plants to old';
const BACK = 'rename table old to plants';

const altered: readonly [change: string, fault: string, undo: string][] = [
  ['engine = MyISAM', 'plants is of the engine MyISAM, which syncs no commit', 'engine = InnoDB'],
  ['engine = Aria partition by hash (id)', 'plants is of the engine Aria', 'engine = InnoDB remove partitioning'],
  [
    'convert to character set latin1',
    'name is of the type longtext character set latin1, not longtext character set utf8mb4',
    'convert to character set utf8mb4',
  ],
  [
    'modify tag longtext character set utf8mb3',
    'tag is of the type longtext character set utf8mb3',
    `modify tag ${UTF8}`,
  ],
  ['modify name varchar(9) not null', 'name is of the type varchar(9) character', `modify name ${UTF8} not null`],
  ['modify name longblob not null', 'name is of the type longblob, not longtext', `modify name ${UTF8} not null`],
  ['modify id int not null', 'id is of the type int(11), not bigint', 'modify id bigint not null'],
  ['modify id bigint unsigned', 'id is of the type bigint(20) unsigned, not bigint', 'modify id bigint not null'],
  [`modify tag ${UTF8} not null`, 'the column tag is NOT NULL, so that plants', `modify tag ${UTF8}`],
  ['add planter int not null', 'planter is NOT NULL and has no default', 'drop planter'],
  ['drop tag', 'the column tag is missing', `add tag ${UTF8}`],
  [`drop tag, add tag ${UTF8} as ('x') stored`, 'the column tag is generated', `drop tag, add tag ${UTF8}`],
  ['drop primary key', 'its primary key is not id alone', 'add primary key (id)'],
  [
    'drop primary key, add primary key (id, name(9))',
    'its primary key is not id alone',
    'drop primary key, add primary key (id)',
  ],
];

await onServer(() => {
  test.each([
    ...altered.map(([change, fault, undo]) => [`alter table plants ${change}`, fault, `alter table plants ${undo}`]),
    [
      'alter table plant_store_sync engine = MyISAM',
      'plant_store_sync is of the engine MyISAM',
      'alter table plant_store_sync engine = InnoDB',
    ],
    [`${RENAMED}; create view plants as select * from old`, 'it is a view', `drop view plants; ${BACK}`],
    [`${RENAMED}; create sequence plants`, 'the column id is missing', `drop sequence plants; ${BACK}`],
  ])('%s: not ready and unavailable, until it is undone', async (change = '', fault = '', undo = '') => {
    const { store, url } = await openStore();
    const run = async (statements: string) => {
      for (const statement of statements.split('; ')) await runSql(url, statement);
    };
    await store.check();
    await run(change);
    await expect(store.check()).rejects.toThrow(/^MySQL: the table \w+\.plants cannot keep plants: .*/);
    await expect(store.check()).rejects.toThrow(fault);
    await expect(store.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
    await expect(openStore({ connectionString: url })).rejects.toThrow(fault);
    await run(undo);
    await expect.poll(() => store.plants.add(fern).catch(String)).toEqual(added);
    await store.check();
    await openStore({ connectionString: url });
  });

  test.each<[change: string, tag?: string]>([
    ['add planter int not null'],
    ['modify name varchar(3) not null'],
    ['modify id smallint not null'],
    [`modify tag ${UTF8} not null`],
    ["drop tag, add tag longtext as ('x') stored", 'indoor'],
    ['drop tag'],
    ['modify name longtext character set latin1 not null'],
  ])('%s: no plant is called refused, before anybody has looked', async (change, tag) => {
    const { store, url } = await openStore();
    await store.check();
    await runSql(url, `alter table plants ${change}`);
    const plant = { name: 'Moss 蕨', ...(tag && { tag }) };
    const adding = Array.from({ length: 9 }, (_, at) => store.plants.add({ ...plant, id: 40_000n + BigInt(at) }));
    for (const { reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[])
      expect(reason).toHaveProperty('message', expect.stringContaining('cannot keep plants'));
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
  ])('%s: it keeps plants all the same, beside a table whose name differs in case', async (change) => {
    const { store, url } = await openStore();
    await runSql(url, 'create table Plants (of_another_application int) engine = MyISAM');
    await runSql(url, `alter table plants ${change}`);
    await store.check();
    const moss = { id: 0n, name: 'Moss 蕨', tag: 'NULL' };
    const other = await openStore({ connectionString: url });
    expect(await other.store.plants.add(moss)).toEqual(added);
    expect(await store.plants.add(moss)).toEqual({ outcome: 'exists', plant: { name: 'Moss 蕨', tag: 'NULL' } });
  });

  test('one that is not there yet, or no longer, is an outage', async () => {
    const connectionString = await freshDatabase();
    const { store } = await openStore({ connectionString });
    await expect(store.check()).rejects.toThrow(NOT_MIGRATED);
    await migrateMysql({ connectionString });
    await expect.poll(() => store.plants.add(fern).catch(String)).toEqual(added);
    await runSql(connectionString, 'drop table plants');
    const failure = await store.check().catch((error: unknown) => error);
    expect(failure).toHaveProperty('message', expect.stringContaining(NOT_MIGRATED));
    expect(failure).not.toBeInstanceOf(StoreMisconfigured);
  });

  test("MySQL's words for it are no fault either", () => {
    const columns = [
      { name: 'id', type: 'bigint', isNotNull: 1, isGenerated: 0, hasDefault: 0 },
      ...['name', 'tag'].map((name) => ({ name, type: 'longtext character set utf8mb4', isNotNull: 0 })),
    ];
    const found = { setting: null, name: 'd.plants', kind: 'InnoDB', key: 'id', syncEngine: 'InnoDB', bytes: 1n };
    expect(faultsOf({ ...found, columns: JSON.stringify(columns) })).toEqual([]);
  });
});
