import { inspect } from 'node:util';
import { migrateMysql, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions, openPlantStore } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { freshDatabase, onServer, runSql } from '@plant-store/testing-mysql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { statementsOn } from '../src/statements.ts';
import { hold, migratedDatabase, openStore, toRun, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };

async function failureOf(call: Promise<unknown>): Promise<Error> {
  return call.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

/** A store that does what it does on MySQL, which has no blocks outside of procedures. */
async function openByHalves() {
  const connectionString = await migratedDatabase();
  const options = completeServerOptions({ connectionString, timeoutMs: 10_000, maxWaitMs: 60_000 });
  const database = openDatabase(options);
  const { insertApart: _, ...statements } = statementsOn(database, options);
  const store = openPlantStore(sqlEngine(database.db, statements), options);
  onTestFinished(() => store.close());
  return { store, url: connectionString };
}

const openings = { 'in a block': () => openStore({ timeoutMs: 10_000 }), 'by halves': openByHalves };

await onServer(() => {
  test('a row that stays locked is unavailable by the deadline, with a hint', async () => {
    const { store, url } = await openStore({ timeoutMs: 4_000 });
    await hold(url, "insert into plants (id, name) values (1, 'held')");
    const reason =
      'another session has locked the row of plant 1: end its transaction (information_schema.innodb_trx shows it); the store recovers automatically';
    // One whose last attempt does not end in time is only told so.
    await vi.waitFor(() => expect(store.plants.add(fern)).rejects.toThrow(new StoreUnavailable(reason)), 20_000);
  });

  test.each(Object.entries(openings))(
    'written %s, what is locked, taken or refused keeps nothing else of its batch from being inserted at once',
    async (_, open) => {
      const { store, url } = await open();
      await runSql(url, "insert into plants (id, name) values (3, 'Moss'), (4, 'Moss'), (6, 'Moss')");
      await runSql(url, 'alter table plants add constraint refuse check (id <> 2), add unique (tag(20))');
      const statements = [
        'delete from plants where id in (3, 4)',
        "update plants set name = 'held' where id = 6",
        "insert into plants (id, name) values (8, 'held')",
      ];
      const holders = await Promise.all(statements.map((statement) => hold(url, statement)));
      const began = performance.now();
      const adding = Array.from({ length: 20 }, (_, at) =>
        store.plants.add({ ...fern, id: BigInt(at), tag: at === 11 ? '10' : `${at}` }),
      );
      const others = [...adding.keys()].filter((id) => ![3, 4, 6, 8].includes(id));
      const outcomes = others.map(async (id) => [
        id,
        await adding[id]?.then(
          ({ outcome }) => outcome,
          ({ name }) => name,
        ),
      ]);
      expect(Object.fromEntries(await Promise.all(outcomes))).toEqual({
        ...Object.fromEntries(others.map((id) => [id, 'added'])),
        2: 'PlantRefused',
        11: 'PlantRefused',
      });
      // The batch waits for 1 s, and nothing after it for another one.
      expect(performance.now() - began).toBeLessThan(2_500);
      // What is only being changed or deleted is there already, as it was.
      expect(await Promise.all([3, 4, 6].map((id) => adding[id]))).toEqual(
        Array(3).fill({ outcome: 'exists', plant: { name: 'Moss' } }),
      );
      for (const { letGo } of holders) await letGo();
      expect(await adding[8]).toEqual(added);
    },
  );

  test.each([
    ['a unique index', 'alter table plants add unique (tag(20))', 1062],
    ['a type that its text does not fit', 'alter table plants modify tag varchar(12)', 1406],
    [
      'a trigger',
      `create trigger reject before insert on plants for each row begin
         declare reason text default concat('no ', new.tag);
         if new.tag <> 'Moss' then signal sqlstate '45000' set message_text = reason; end if;
       end`,
      1644,
    ],
  ])(
    'a plant that %s refuses is not an outage, fails alone, and the error does not show it',
    async (_, alteration, errno) => {
      const { store, url } = await openStore();
      await runSql(url, "insert into plants (id, name, tag) values (7, 'x', 'Zantedeschia')");
      await runSql(url, alteration);
      const tag = errno === 1406 ? 'Zantedeschia aethiopica' : 'Zantedeschia';
      const both = () =>
        [
          { ...fern, tag },
          { id: 2n, name: 'x', tag: 'Moss' },
        ].map((plant) => store.plants.add(plant));
      for (const [refused, other] of [[store.plants.add({ ...fern, tag })], both()]) {
        const error = await failureOf(refused as Promise<unknown>);
        expect(error).toMatchObject({ name: 'PlantRefused', cause: { code: errno } });
        expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('Zantedeschia');
        if (other) expect(await other).toEqual(added);
      }
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
    const adding = [1n, 1n, 2n, 3n].map((id) => store.plants.add({ ...fern, id }));
    expect(await Promise.all(adding)).toContainEqual(added);
    expect(await Promise.all([1n, 4n].map((id) => store.plants.add({ ...fern, id })))).toEqual([
      { outcome: 'exists', plant: { name: 'Fern' } },
      added,
    ]);
  });

  test.each(['plants', 'plant_store_sync'])(
    'if the table %s is of another engine, it is refused by its name',
    async (table) => {
      const url = await freshDatabase();
      await migrateMysql({ connectionString: url });
      await runSql(url, `alter table ${table} engine = MyISAM`);
      const { store } = await openStore({ connectionString: url });
      const error = await failureOf(store.plants.add(fern));
      expect(error).toBeInstanceOf(StoreMisconfigured);
      expect(error.message).toBe(
        `MySQL: the engine of the table ${table} is MyISAM, which syncs no commit: run ALTER TABLE … ENGINE = InnoDB`,
      );
    },
  );
});
