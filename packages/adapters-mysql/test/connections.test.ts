import { Socket } from 'node:net';
import { completeServerOptions, type ServerOptions } from '@plant-store/store-kit';
import { exitWhileServerHangs } from '@plant-store/testing';
import { onServer, ownServer, runSql } from '@plant-store/testing/mysql';
import type { PoolConnection } from 'mysql2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase, Session } from '../src/database.ts';
import { serverError } from '../src/errors.ts';
import { migratedDatabase } from './open-store.ts';

function sessionPool(options: ServerOptions) {
  const { sessions } = openDatabase(completeServerOptions(options));
  onTestFinished(() => sessions.end());
  return sessions;
}

test.each(['begin', 'rollback', 'commit'])(
  'a session whose %s is killed is not used again if it may be within a transaction',
  async (sql) => {
    const killed = serverError(1317, '70100', 'Query execution was interrupted');
    const query = (_: unknown, done: (error: Error) => void) => done(killed);
    const [destroy, release] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const session = new Session({ query, destroy, release } as unknown as PoolConnection, new Socket(), 1_000);
    await expect(session.query(sql)).rejects.toBe(killed);
    session.release();
    expect(destroy).toHaveBeenCalledTimes(sql === 'commit' ? 0 : 1);
    expect(release).toHaveBeenCalledTimes(sql === 'commit' ? 1 : 0);
  },
);

await onServer(
  () => {
    const server = ownServer({ fsync: false });

    test('a connection that is killed is not used again, and reported if it was idle', async () => {
      const onError = vi.fn<(error: Error) => void>();
      const sessions = sessionPool({ connectionString: server.url, onError });
      const [used, idle] = [await sessions.acquire(), await sessions.acquire()];
      const [{ id } = {}] = (await idle.query('select connection_id() as id')) as { id?: bigint }[];
      sessions.release(idle);
      await expect(used.query('kill connection_id()')).rejects.toThrow();
      sessions.release(used);
      await runSql(server.url, `kill ${id}`);
      await expect.poll(() => onError.mock.calls.length).toBe(1);
      expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to MySQL lost: ./);
      expect([used, idle]).not.toContain(await sessions.acquire());
    });

    test('if a statement never ends, its connection is closed, and not used again', async () => {
      const sessions = sessionPool({ connectionString: server.url, poolSize: 1, dropAfterMs: 200 });
      const stuck = await sessions.acquire();
      await expect(stuck.query('select sleep(60)')).rejects.toThrow(/timeout/);
      sessions.release(stuck);
      const next = await sessions.acquire();
      expect(next).not.toBe(stuck);
      expect(await next.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    test('a process exits once its store is closed, even if the server hangs', async () => {
      const adapter = import.meta.resolve('../src/storage-adapter.ts');
      expect(await exitWhileServerHangs(adapter, await migratedDatabase(server.url), server)).toEqual([0, null]);
    });

    test('the server cannot request a file of this machine', async () => {
      const sessions = sessionPool({ connectionString: await migratedDatabase(server.url) });
      const load = "load data local infile '/etc/hostname' into table plants";
      // The errors of MariaDB and MySQL if LOCAL INFILE is off. If it were on, mysql2 would throw another one.
      await expect(sessions.use((session) => session.query(load))).rejects.toMatchObject({
        errno: expect.toBeOneOf([4166, 3948]),
      });
    });
  },
  { dedicated: true },
);
