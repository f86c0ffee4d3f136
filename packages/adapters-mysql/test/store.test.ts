import { inspect } from 'node:util';
import { migrateMysql, mysqlExport, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { type AddResult, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { plants as table } from '@plant-store/sql-store';
import { freshDatabase, onServer, runSql } from '@plant-store/testing-mysql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import { completeOptions } from '../src/options.ts';
import { hold, migratedDatabase, openStore, toRun, userWith } from './open-store.ts';
import { settle } from './stand-in-server.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

async function failureOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

await onServer(() => {
  test.each([
    ['inserting', "insert into plants (id, name) values (1, 'held')"],
    ['changing', "update plants set name = 'held' where id = 1"],
    ['deleting', 'delete from plants where id = 1'],
  ])(
    'a row that another session is %s does not keep the rest of its batch waiting, and is settled after it',
    async (what, statement) => {
      const { store, url } = await openStore({ timeoutMs: 10_000 });
      if (what !== 'inserting') await runSql(url, "insert into plants (id, name) values (1, 'Moss')");
      const { letGo } = await hold(url, statement);
      let settled: AddResult | undefined;
      const first = store.plants.add(fern).then((result) => (settled = result));
      expect(await Promise.all([2n, 3n].map((id) => store.plants.add({ ...fern, id })))).toEqual([added, added]);
      // What is only being changed or deleted is there already, as it was.
      if (what === 'inserting') expect(settled).toBeUndefined();
      else expect(await first).toBe(settled);
      await letGo();
      expect(await first).toEqual(what === 'inserting' ? added : { outcome: 'exists', plant: { name: 'Moss' } });
    },
  );

  test('a row that stays locked is unavailable by the deadline, with a hint', async () => {
    const url = await migratedDatabase();
    const { store } = await openStore({ connectionString: url, timeoutMs: 4_000 });
    await hold(url, "insert into plants (id, name) values (1, 'held')");
    const reason =
      'another session has locked the row of plant 1: end its transaction (information_schema.innodb_trx shows it); the store recovers automatically';
    // One whose last attempt does not end in time is only told so.
    await vi.waitFor(() => expect(store.plants.add(fern)).rejects.toThrow(new StoreUnavailable(reason)), 20_000);
  });

  test('what is found is made durable on the session that has found it', async () => {
    const urls = await Promise.all([migratedDatabase(), migratedDatabase()]);
    await runSql(urls[0], "insert into plants (id, name) values (1, 'Moss')");
    const [first, second] = urls.map((url) => openConnections(completeOptions({ connectionString: url })));
    if (!first || !second) return expect.fail();
    onTestFinished(async () => void (await Promise.all([first.end(), second.end()])));
    const { use } = first;
    vi.spyOn(first, 'use').mockImplementation(second.use).mockImplementationOnce(use);
    const done = vi.fn();
    await settle(first, [fern], done);
    expect(done.mock.calls).toEqual([[1n, table.exists({ name: 'Moss' })]]);
    expect(await runSql(urls[0], 'select writes from plant_store_sync')).toEqual([{ writes: '1' }]);
  });

  test('beside rows that another session is deleting, the others of a batch are inserted or refused at once', async () => {
    const { store, url } = await openStore({ timeoutMs: 10_000 });
    await runSql(url, "insert into plants (id, name) values (3, 'Moss'), (4, 'Moss')");
    await runSql(url, 'alter table plants add constraint refuse check (id <> 2)');
    const { letGo } = await hold(url, 'delete from plants where id in (3, 4)');
    const adding = [1n, 2n, 3n, 4n, 5n].map((id) => store.plants.add({ ...fern, id }));
    expect(await Promise.allSettled([adding[0], adding[1], adding[4]])).toMatchObject([
      { value: added },
      { reason: { message: expect.stringContaining('refuse') } },
      { value: added },
    ]);
    await letGo();
    expect(await Promise.all([adding[2], adding[3]])).toEqual(
      Array(2).fill({ outcome: 'exists', plant: { name: 'Moss' } }),
    );
  });

  test.each([
    ['a unique index', 'alter table plants add unique (tag(20))', 1062],
    ['a type that its text does not fit', 'alter table plants modify tag varchar(12)', 1406],
    [
      'a trigger',
      `create trigger reject before insert on plants for each row begin
         declare reason text default concat('no ', new.tag);
         signal sqlstate '45000' set message_text = reason;
       end`,
      1644,
    ],
  ])('a plant that %s refuses is not an outage, and the error does not show it', async (_, alteration, errno) => {
    const { store, url } = await openStore();
    await runSql(url, "insert into plants (id, name, tag) values (7, 'x', 'Zantedeschia')");
    await runSql(url, alteration);
    const tag = errno === 1406 ? 'Zantedeschia aethiopica' : 'Zantedeschia';
    const error = await failureOf(store.plants.add({ ...fern, tag }));
    expect(error).toMatchObject({ name: 'PlantRefused', cause: { errno } });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Zantedeschia');
  });

  test.each(['select', 'insert'])(
    'a user who may %s only: the check says so, as a configuration error',
    async (granted) => {
      const { store, url } = await openStore();
      await store.plants.add(fern);
      const theirs = await userWith(url, { plants: granted });
      const restricted = await openStore({ connectionString: theirs.href });
      const error = await failureOf(restricted.store.check());
      expect(error).toBeInstanceOf(StoreMisconfigured);
      expect(error.message).toContain('grant the user SELECT and INSERT on the table plants');
      const wrong = await openStore({ connectionString: Object.assign(theirs, { password: 'wr0ng' }).href });
      expect((await failureOf(wrong.store.check())).message).toContain('check user and password');
    },
  );

  test('a user with what is documented, and no more, starts the service and adds', async () => {
    const { href: connectionString } = await userWith(await migratedDatabase(), toRun);
    expect(await mysqlMigrationStatus({ connectionString })).toEqual([{ name: '0001-create-plants', applied: true }]);
    await migrateMysql({ connectionString });
    const { store } = await openStore({ connectionString });
    await store.check();
    expect(await store.plants.add(fern)).toEqual(added);
    expect(await store.plants.add(fern)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
  });

  test('a table of another engine is refused by its name on every new connection', async () => {
    const url = await freshDatabase();
    await migrateMysql({ connectionString: url });
    await runSql(url, 'alter table plants engine = MyISAM');
    const { store } = await openStore({ connectionString: url });
    const error = await failureOf(store.plants.add(fern));
    expect(error).toBeInstanceOf(StoreMisconfigured);
    expect(error.message).toBe(
      'MySQL: the engine of the table plants is MyISAM, which syncs no commit: run ALTER TABLE plants ENGINE = InnoDB',
    );
  });

  test('a store that is closed and an export that is not read to its end leave no connection on the server', async () => {
    const { store, url } = await openStore();
    await store.plants.add(fern);
    const sessions = () =>
      runSql(url, 'select id from information_schema.processlist where db = database() and id <> connection_id()');
    await expect.poll(sessions).toHaveLength(1);
    await store.close();
    // Sooner than a connection that has been idle for 10 s is closed.
    await expect.poll(sessions, { timeout: 5_000 }).toEqual([]);

    for await (const plant of mysqlExport({ connectionString: url }).readAll()) {
      expect(plant).toEqual(fern);
      await expect.poll(sessions).toHaveLength(1);
      break;
    }
    await expect.poll(sessions, { timeout: 5_000 }).toEqual([]);
  });
});
