import { migrateMysql } from '@plant-store/adapters-mysql';
import { StoreMisconfigured } from '@plant-store/domain';
import { adoptedTable, NOT_MIGRATED } from '@plant-store/store-kit';
import { freshDatabase, onServer, runSql } from '@plant-store/testing-mysql';
import { expect, test, vi } from 'vitest';
import { faultsOf } from '../src/table.ts';
import { migratedDatabase, openStore, plantsIn } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const added = { outcome: 'added' };

const TABLE = 'alter table plants';
const NAME = `${TABLE} modify name longtext character set utf8mb4 not null`;
const TAG = `${TABLE} modify tag longtext character set utf8mb4`;
const ID = `${TABLE} modify id bigint not null`;
const RENAMED = 'rename table plants to old';
const BACK = 'rename table old to plants';

const sync = (engine: string) => `alter table plant_store_sync engine = ${engine}`;

await onServer(() => {
  test.each<[change: string, fault: string, undo: string]>([
    [`${TABLE} engine = MyISAM`, 'plants is of the engine MyISAM, which syncs no commit', `${TABLE} engine = InnoDB`],
    [
      `${TABLE} engine = Aria partition by hash (id) partitions 2`,
      'plants is of the engine Aria',
      `${TABLE} engine = InnoDB remove partitioning`,
    ],
    [sync('MyISAM'), 'plant_store_sync is of the engine MyISAM', sync('InnoDB')],
    [
      `${TABLE} convert to character set latin1`,
      'name is of the type longtext character set latin1, not longtext character set utf8mb4',
      `${TABLE} convert to character set utf8mb4`,
    ],
    [`${TABLE} modify tag longtext character set utf8mb3`, 'tag is of the type longtext character set utf8mb3', TAG],
    [
      `${TABLE} modify name varchar(9) character set utf8mb4 not null`,
      'name is of the type varchar(9) character',
      NAME,
    ],
    [`${TABLE} modify name longblob not null`, 'name is of the type longblob, not longtext', NAME],
    [`${TABLE} modify id int not null`, 'id is of the type int(11), not bigint', ID],
    [`${TABLE} modify id bigint unsigned not null`, 'id is of the type bigint(20) unsigned, not bigint', ID],
    [`${TABLE} modify tag longtext character set utf8mb4 not null`, 'the column tag is NOT NULL, so that plants', TAG],
    [`${TABLE} add planter int not null`, 'planter is NOT NULL and has no default', `${TABLE} drop planter`],
    [`${TABLE} drop tag`, 'the column tag is missing', `${TABLE} add tag longtext character set utf8mb4`],
    [
      `${TABLE} drop tag, add tag longtext character set utf8mb4 as ('x') stored`,
      'the column tag is generated',
      `${TABLE} drop tag, add tag longtext character set utf8mb4`,
    ],
    [`${TABLE} drop primary key`, 'its primary key is not id alone', `${TABLE} add primary key (id)`],
    [
      `${TABLE} drop primary key, add primary key (id, name(9))`,
      'its primary key is not id alone',
      `${TABLE} drop primary key, add primary key (id)`,
    ],
    [`${RENAMED}; create view plants as select * from old`, 'it is a view', `drop view plants; ${BACK}`],
    [`${RENAMED}; create sequence plants`, 'the column id is missing', `drop sequence plants; ${BACK}`],
  ])('%s: not ready and unavailable, until it is undone', async (change, fault, undo) => {
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
    [`${TABLE} add planter int not null`],
    [`${TABLE} modify name varchar(3) not null`],
    [`${TABLE} modify id smallint not null`],
    [`${TABLE} modify tag longtext character set utf8mb4 not null`],
    [`${TABLE} drop tag, add tag longtext as ('x') stored`, 'indoor'],
    [`${TABLE} drop tag`],
    [`${TABLE} modify name longtext character set latin1 not null`],
  ])('%s: no plant is called refused, before anybody has looked', async (change, tag) => {
    const { store, url } = await openStore();
    await store.check();
    await runSql(url, change);
    const plant = { name: 'Moss 蕨', ...(tag && { tag }) };
    const adding = Array.from({ length: 9 }, (_, at) => store.plants.add({ ...plant, id: 40_000n + BigInt(at) }));
    for (const { reason } of (await Promise.allSettled(adding)) as PromiseRejectedResult[])
      expect(reason).toHaveProperty('message', expect.stringContaining('cannot keep plants'));
  });

  test.each([
    `${TABLE} add planted timestamp not null default current_timestamp, add kind enum ('a', 'b') not null, add nr int as (1)`,
    `${TABLE} modify id bigint not null auto_increment`,
    `${TABLE} add nr int not null auto_increment unique`,
    `${TABLE} modify name longtext character set utf8mb4 compressed not null`,
    `${TABLE} with system versioning`,
    `${TABLE} add since timestamp(6) generated always as row start, add until timestamp(6) generated always as row end,
      add period for system_time (since, until), add system versioning`,
    `${TABLE} modify name mediumtext character set utf8mb4 not null`,
    `${TABLE} partition by hash (id) partitions 2`,
    'create table Plants (of_another_application int) engine = MyISAM',
  ])('%s: it keeps plants all the same', async (change) => {
    const { store, url } = await openStore();
    for (const statement of change.split('; ')) await runSql(url, statement);
    await store.check();
    const moss = { id: 0n, name: 'Moss 蕨', tag: 'NULL' };
    const other = await openStore({ connectionString: url });
    expect(await other.store.plants.add(moss)).toEqual(added);
    expect(await store.plants.add(moss)).toEqual({ outcome: 'exists', plant: { name: 'Moss 蕨', tag: 'NULL' } });
  });

  test('one that is not there yet, or no longer, is an outage', async () => {
    const connectionString = await freshDatabase();
    const { store } = await openStore({ connectionString });
    const missing = async () => {
      const failure = await store.check().catch((error: unknown) => error);
      expect(failure).toHaveProperty('message', expect.stringContaining(NOT_MIGRATED));
      expect(failure).not.toBeInstanceOf(StoreMisconfigured);
    };
    await missing();
    await migrateMysql({ connectionString });
    await expect.poll(() => store.plants.add(fern).catch(String)).toEqual(added);
    await runSql(connectionString, 'drop table plants');
    await missing();
  });

  test("MySQL's words for it are no fault either", () => {
    const columns = [
      { name: 'id', type: 'bigint', isNotNull: 1, isGenerated: 0, hasDefault: 0 },
      ...['name', 'tag'].map((name) => ({ name, type: 'longtext character set utf8mb4', isNotNull: 0 })),
    ];
    const found = { setting: null, name: 'd.plants', kind: 'InnoDB', key: 'id', syncEngine: 'InnoDB', bytes: 1n };
    expect(faultsOf({ ...found, columns: JSON.stringify(columns) })).toEqual([]);
  });

  test('the dump of the table alone is adopted, with a warning', async () => {
    const url = await migratedDatabase();
    await runSql(url, "insert into plants (id, name) values (1, 'Fern')");
    const connectionString = await freshDatabase();
    const [from, to] = [url, connectionString].map((each) => new URL(each).pathname.slice(1));
    await runSql(connectionString, `create table plants like ${from}.plants`);
    await runSql(connectionString, `insert into plants select * from ${from}.plants`);
    const onWarning = vi.fn<(message: string) => void>();
    for (let migrated = 0; migrated < 2; migrated++) await migrateMysql({ connectionString, onWarning });
    expect(onWarning.mock.calls).toEqual([[adoptedTable(`${to}.plants`)]]);
    expect(await plantsIn(connectionString)).toEqual([fern]);
    const { store } = await openStore({ connectionString });
    expect(await store.plants.add(fern)).toMatchObject({ outcome: 'exists' });
  });

  test.each([
    ['create table plants (id int primary key, name text, of_another_application int not null)', 'of_another_app'],
    ['create view plants as select 1 as id', 'it is a view'],
  ])('another application has made it: %s', async (statement, difference) => {
    const connectionString = await freshDatabase();
    await runSql(connectionString, statement);
    const refused = await migrateMysql({ connectionString }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreMisconfigured);
    expect(refused).toHaveProperty('message', expect.stringContaining(difference));
  });
});
