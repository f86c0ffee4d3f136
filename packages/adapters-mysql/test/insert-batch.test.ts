import { plants as table } from '@plant-store/sql-store';
import { onServer, runSql } from '@plant-store/testing-mysql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Connections, openConnections } from '../src/driver/connections.ts';
import type { Session } from '../src/driver/session.ts';
import { insertBatchInto } from '../src/insert-batch.ts';
import { completeOptions } from '../src/options.ts';
import { statementsOf } from '../src/statements.ts';
import { hold, migratedDatabase } from './open-store.ts';
import { plantsWith, standInServer } from './stand-in-server.ts';

const { added } = table;
const later = Number.POSITIVE_INFINITY;

const insertBatchOn = (connections: Connections) => insertBatchInto(table, statementsOf(table, connections));

test('only what is taken is left out of the second insert, which may wait like the first', async () => {
  const { connections, tried } = standInServer({ 2: 'stored' });
  const outcomes = await insertBatchOn(connections)(plantsWith(1, 2, 3), later, true);
  expect(outcomes).toEqual([added, 'conflict', added]);
  expect(tried).toEqual(['waits 1,2,3', 'waits 1,3']);
});

test.each([
  ['being inserted', ['split', 'conflict', 'split']],
  ['being deleted', ['split', 'split', 'split']],
] as const)('beside what is %s by another session, what cannot be read is split', async (state, outcomes) => {
  const { connections, tried } = standInServer({ 2: state });
  expect(await insertBatchOn(connections)(plantsWith(1, 2, 3), later, true)).toEqual(outcomes);
  expect(tried).toEqual(['waits 1,2,3']);
});

test.each([true, false])(
  'a part is inserted as a whole, without waiting and in the order of ids (MariaDB: %s)',
  async (isMariaDb) => {
    const { connections, statements } = standInServer({ 3: 'being deleted' }, { isMariaDb });
    expect(await insertBatchOn(connections)(plantsWith(4, 2), later, false)).toEqual([added, added]);
    expect(await insertBatchOn(connections)(plantsWith(4, 3), later, false)).toEqual(['split', 'split']);
    const inserts = statements.filter((sql) => /insert|nowait$/.test(sql));
    expect(inserts).toEqual(
      isMariaDb
        ? [/^set statement innodb_lock_wait_timeout = 0 .*\(2,.*\(4,/, /^set statement .*\(3,.*\(4,/].map((sql) =>
            expect.stringMatching(sql),
          )
        : [
            'select id from plants where id in (4,2) for share nowait',
            expect.stringMatching(/^insert into plants .*\(2,.*\(4,/),
            'select id from plants where id in (4,3) for share nowait',
          ],
    );
  },
);

test('after the deadline no other insert is begun', async () => {
  const { connections, tried } = standInServer({ 3: 'stored' });
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => tried.length);
  onTestFinished(() => clock.mockRestore());
  expect(await insertBatchOn(connections)(plantsWith(1, 3), 1, true)).toEqual(['conflict', 'conflict']);
  expect(tried).toEqual(['waits 1,3']);
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
    const { insert } = statementsOf(table, connections);
    expect(await insert(plantsWith(3), false)).toBe('locked');
    expect(statements).toEqual([expect.stringMatching(/^set statement .*insert|^select .* nowait$/)]);
    expect(await insert(plantsWith(4), false)).toBe('all');
    expect(await runSql(url, 'select id from plants where id = 4')).toHaveLength(1);
  });

  test('a table that was locked leaves no session behind that reads what is not committed', async () => {
    const url = await migratedDatabase();
    const connections = openConnections(completeOptions({ connectionString: url, poolSize: 1 }));
    onTestFinished(() => connections.end());
    const { findUnlocked, notStored } = statementsOf(table, connections);
    const lock = await hold(url, 'lock tables plants write');
    await expect(notStored([1n])).rejects.toThrow();
    await lock.letGo();
    await hold(url, "insert into plants (id, name) values (1, 'Moss')");
    expect(await findUnlocked([1n])).toEqual(new Map());
    expect(await notStored([1n])).toEqual([]);
  });
});
