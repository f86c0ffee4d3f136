import { onServer, runSql } from '@plant-store/testing-mysql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import type { Session } from '../src/driver/session.ts';
import { insertIfAbsent } from '../src/insert-batch.ts';
import { completeOptions } from '../src/options.ts';
import { findPlants, insert, occupiedIds } from '../src/statements.ts';
import { hold, migratedDatabase } from './open-store.ts';
import { plantsWith, standInServer } from './stand-in-server.ts';

const later = Number.POSITIVE_INFINITY;

test('only what is taken is left out of the second insert, which may wait like the first', async () => {
  const { connections, tried } = standInServer({ 2: 'stored' });
  expect(await insertIfAbsent(connections, plantsWith(1, 2, 3), later)).toEqual(new Set([1n, 3n]));
  expect(tried).toEqual(['waits 1,2,3', 'waits 1,3']);
});

test('what another session is inserting is left out, and the rest waits for nothing any more', async () => {
  const { connections, tried } = standInServer({ 2: 'being inserted' });
  expect(await insertIfAbsent(connections, plantsWith(1, 2, 3), later)).toEqual(new Set([1n, 3n]));
  expect(tried).toEqual(['waits 1,2,3', '1,3']);
});

test('what another session is deleting is found by halves, without waiting, each in the order of the ids', async () => {
  const { connections, tried } = standInServer({ 3: 'being deleted' });
  expect(await insertIfAbsent(connections, plantsWith(4, 2, 1, 3), later)).toEqual(new Set([1n, 2n, 4n]));
  expect(tried).toEqual(['waits 1,2,3,4', '2,4', '1,3', '1', '3']);
});

test('on MySQL what must not wait is looked at first, and only what is not locked is inserted', async () => {
  const { connections, statements } = standInServer({ 3: 'being deleted' }, { isMariaDb: false });
  expect(await insertIfAbsent(connections, plantsWith(4, 2, 1, 3), later)).toEqual(new Set([1n, 2n, 4n]));
  const [, ...afterTheFirst] = statements.filter((sql) => /^insert|nowait$/.test(sql));
  expect(afterTheFirst).toEqual([
    'select id from plants where id in (4,2) for share nowait',
    expect.stringMatching(/^insert into plants .*\(2,.*\(4,/),
    'select id from plants where id in (1,3) for share nowait',
    'select id from plants where id in (1) for share nowait',
    expect.stringMatching(/^insert into plants .*\(1,/),
    'select id from plants where id in (3) for share nowait',
  ]);
});

test('what is refused beside a locked row is left out too', async () => {
  const { connections } = standInServer({ 1: 'being deleted', 2: 'refused' });
  expect(await insertIfAbsent(connections, plantsWith(1, 2, 3, 4), later)).toEqual(new Set([3n, 4n]));
});

test('a lost connection is thrown, unless a half is inserted by then', async () => {
  const first = standInServer({ 1: 'being deleted', 2: 'lost' });
  await expect(insertIfAbsent(first.connections, plantsWith(1, 2, 3, 4), later)).rejects.toThrow('is lost');
  const second = standInServer({ 3: 'being deleted', 4: 'lost' });
  expect(await insertIfAbsent(second.connections, plantsWith(1, 2, 3, 4), later)).toEqual(new Set([1n, 2n]));
});

test('after three inserts that each met a taken id, the rest is left to be settled', async () => {
  const { connections, tried, set } = standInServer();
  const { use } = connections;
  let uses = 0;
  // An attempt is an insert and a read. Before each insert another writer stores the next id.
  vi.spyOn(connections, 'use').mockImplementation((run) => {
    set(1 + (uses >> 1), 'stored');
    uses += 1;
    return use(run);
  });
  expect(await insertIfAbsent(connections, plantsWith(1, 2, 3, 4, 5, 6), later)).toEqual(new Set());
  expect(tried).toEqual(['waits 1,2,3,4,5,6', 'waits 2,3,4,5,6', 'waits 3,4,5,6']);
});

test.each([
  [0, [], []],
  [1, ['waits 1,2,3,4'], []],
  [2, ['waits 1,2,3,4', '1,2'], [1n, 2n]],
])('when %i inserts have taken until the deadline, no other is begun', async (deadline, inserts, ids) => {
  const { connections, tried } = standInServer({ 3: 'being deleted' });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => tried.length);
  onTestFinished(() => clock.mockRestore());
  expect(await insertIfAbsent(connections, plantsWith(1, 2, 3, 4), deadline)).toEqual(new Set(ids));
  expect(tried).toEqual(inserts);
});

await onServer(() => {
  test('what must not wait is not sent to wait for a row that another session is deleting', async () => {
    const url = await migratedDatabase();
    const connections = openConnections(completeOptions({ connectionString: url }));
    onTestFinished(() => connections.end());
    const statements: string[] = [];
    const { use } = connections;
    vi.spyOn(connections, 'use').mockImplementation((run) =>
      use((session) => {
        const query: Session['query'] = (sql) => {
          statements.push(sql);
          return session.query(sql);
        };
        return run({ ...session, query });
      }),
    );
    await runSql(url, "insert into plants (id, name) values (3, 'Moss')");
    await hold(url, 'delete from plants where id = 3');
    expect(await insert(connections, plantsWith(3), { wait: false })).toBe('locked');
    expect(statements).toEqual([expect.stringMatching(/^set statement .*insert|^select .* nowait$/)]);
    expect(await insert(connections, plantsWith(4), { wait: false })).toBe('all');
    expect(await runSql(url, 'select id from plants where id = 4')).toHaveLength(1);
  });

  test('a table that was locked leaves no session behind that reads what is not committed', async () => {
    const url = await migratedDatabase();
    const connections = openConnections(completeOptions({ connectionString: url, poolSize: 1 }));
    onTestFinished(() => connections.end());
    const lock = await hold(url, 'lock tables plants write');
    await expect(occupiedIds(connections, plantsWith(1))).rejects.toThrow();
    await lock.letGo();
    await hold(url, "insert into plants (id, name) values (1, 'Moss')");
    expect(await findPlants(connections, plantsWith(1))).toEqual(new Map());
    expect(await occupiedIds(connections, plantsWith(1))).toEqual(new Set([1n]));
  });

  test('beside a row that another session is deleting, all others of the batch are inserted at once', async () => {
    const url = await migratedDatabase();
    const connections = openConnections(completeOptions({ connectionString: url }));
    onTestFinished(() => connections.end());
    await runSql(url, "insert into plants (id, name) values (3, 'Moss')");
    await hold(url, 'delete from plants where id = 3');
    const inserting = insertIfAbsent(connections, plantsWith(1, 2, 3, 4, 5), performance.now() + 20_000);
    expect(await inserting).toEqual(new Set([1n, 2n, 4n, 5n]));
    expect(await runSql(url, "select id from plants where name = 'Fern' order by id")).toHaveLength(4);
  });
});
