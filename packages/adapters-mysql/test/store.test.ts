import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { migrateMysql, mysqlMigrationStatus } from '@plant-store/adapters-mysql';
import { type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { completeServerOptions, openPlantStore } from '@plant-store/store-kit';
import { sqlEngine } from '@plant-store/store-kit/sql';
import { onServer, runSql } from '@plant-store/testing-mysql';
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
  const store = openPlantStore(sqlEngine(database.db, statements, options), options);
  onTestFinished(() => store.close());
  return { store, url: connectionString };
}

const openings = { 'in a block': () => openStore({ timeoutMs: 10_000 }), 'by halves': openByHalves };

await onServer(() => {
  test('a row that stays locked is unavailable by the deadline, with a hint', async () => {
    const { store, url } = await openStore({ timeoutMs: 4_000 });
    const { href } = await userWith(url, toRun);
    const { store: unprivileged } = await openStore({ timeoutMs: 4_000, connectionString: href });
    const statement = "insert into plants (id, name) values (1, 'held')";
    // Of another database, and for longer.
    await hold(await migratedDatabase(), statement);
    const { id } = await hold(url, statement);
    const reason = (holder: string) => new RegExp(`^${holder} has locked the row of plant 1: end its transaction$`);
    const named = reason(`connection ${id}, user "${new URL(url).username}", since "\\d{4}-.*"`);
    // One whose last attempt does not end in time is only told so.
    const expectReason = (of: PlantStore, expected: RegExp) =>
      vi.waitFor(() => expect(of.plants.add(fern)).rejects.toThrow(expected), 20_000);
    await Promise.all([
      expectReason(store, named),
      expectReason(
        unprivileged,
        /^another session has locked the row of plant 1: end its transaction \(see information_schema.innodb_trx\)$/,
      ),
    ]);
  });

  test('a session that waits for a lock itself is not taken for the one that holds it', async () => {
    const url = await migratedDatabase();
    await runSql(url, "insert into plants (id, name) values (1, 'Moss')");
    const options = completeServerOptions({ connectionString: url, poolSize: 1 });
    const database = openDatabase(options);
    onTestFinished(() => database.sessions.end());
    // The server tells the times of transactions in its own.
    await database.sessions.use((session) => session.query("set session time_zone = '-03:00'"));
    const lockHolder = async () => statementsOn(database, options).lockHolder?.();
    // Whose session uses another database is not known.
    const name = new URL(url).pathname.slice(1);
    const elsewhere = await hold(await migratedDatabase(), `update ${name}.plants set name = 'held'`);
    const waiter = await hold(url, 'set session innodb_lock_wait_timeout = 20');
    const waiting = waiter.query("update plants set name = 'x'");
    await sleep(2_000);
    expect(await lockHolder()).toBe(undefined);
    await elsewhere.letGo();
    await waiting;
    // Read more often, the server's view stays as it is.
    await expect
      .poll(async () => (await lockHolder())?.session, { interval: 500, timeout: 5_000 })
      .toBe(`connection ${waiter.id}`);
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
    ['a constraint', "alter table plants add check (tag <> 'Zantedeschia' or id > 6)", 4025],
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
      const tag = 'Zantedeschia';
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
});
