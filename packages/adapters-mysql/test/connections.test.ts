import { connect, createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mysqlExport } from '@plant-store/adapters-mysql';
import { StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions, type ServerOptions } from '@plant-store/store-kit';
import { onServer, ownServer, runSql } from '@plant-store/testing-mysql';
import { exitWhileServerHangs, listening } from '@plant-store/testing-servers';
import type { PoolConnection } from 'mysql2';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { reported } from '../src/errors.ts';
import { Session } from '../src/session.ts';
import { migratedDatabase, openStore, toRun, userWith } from './open-store.ts';

const added = { outcome: 'added' };
const fern = { id: 1n, name: 'Fern' };
const plants = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at), name: `plant ${at}` }));

const sessionsOf = (url: string) =>
  runSql(url, 'select id from information_schema.processlist where db = database() and id <> connection_id()');

function sessionPool(options: ServerOptions) {
  const { sessions } = openDatabase(completeServerOptions(options));
  onTestFinished(() => sessions.end());
  return sessions;
}

test.each(['begin', 'rollback', 'commit'])(
  'a session whose %s is killed is not used again if it may be within a transaction',
  async (sql) => {
    const killed = reported(1317, '70100', 'Query execution was interrupted');
    const query = (_: unknown, done: (error: Error) => void) => done(killed);
    const [destroy, release] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const session = new Session({ query, destroy, release } as unknown as PoolConnection, new Socket());
    await expect(session.query(sql)).rejects.toBe(killed);
    session.giveBack();
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
      const [lent, idle] = [await sessions.acquire(), await sessions.acquire()];
      const [{ id } = {}] = (await idle.query('select connection_id() as id')) as { id?: bigint }[];
      sessions.release(idle);
      await expect(lent.query('kill connection_id()')).rejects.toThrow();
      sessions.release(lent);
      // By then it is mysql2's own.
      await sleep(1_500);
      await runSql(server.url, `kill ${id}`);
      await expect.poll(() => onError.mock.calls.length).toBe(1);
      expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to MySQL lost: ./);
      expect([lent, idle]).not.toContain(await sessions.acquire());
    });

    test('a statement that is late fails, even if the server hangs, and its connection is closed', async () => {
      const sessions = sessionPool({ connectionString: server.url, dropAfterMs: 300 });
      await sessions.use((session) => session.query('do 0'));
      await server.pause();
      const running = sessions.use((session) => session.query('do 0'));
      await expect(running).rejects.toThrow(/^the server did not end a statement within \d+ ms$/);
      await server.resume();
      expect(await sessions.use((session) => session.query('select 1 as one'))).toEqual([{ one: 1 }]);
    });

    test('connecting takes no longer than it may: to a server that hangs, and to one whose connections are all lent', async () => {
      const hanging = sessionPool({ connectionString: server.url, connectWithinMs: 200 });
      await server.pause();
      await expect(hanging.acquire()).rejects.toThrow('connect ETIMEDOUT');
      await server.resume();

      const sessions = sessionPool({ connectionString: server.url, poolSize: 1, connectWithinMs: 200 });
      const lent = await sessions.acquire();
      await expect(sessions.acquire()).rejects.toThrow(StoreUnavailable);
      sessions.release(lent);
      expect(await sessions.acquire()).toBe(lent);
    });

    test('connections that are silent while new ones work cost one time-out', async () => {
      const proxy = await silentProxy(Number(new URL(server.url).port));
      const connectionString = Object.assign(new URL(server.url), { port: proxy.port }).href;
      const sessions = sessionPool({ connectionString, timeoutMs: 400, dropAfterMs: 1_000 });
      const lent = await Promise.all(Array.from({ length: 5 }, () => sessions.acquire()));
      for (const session of lent) sessions.release(session);
      proxy.silence();
      const late = expect(sessions.use((session) => session.query('do 0'))).rejects.toThrow();
      await new Promise((resolve) => setTimeout(resolve, 250));
      const began = performance.now();
      await Promise.all(Array.from({ length: 8 }, () => sessions.use((session) => session.query('do 0'))));
      expect(performance.now() - began).toBeLessThan(400);
      await late;
    });

    test('an account that may have fewer connections than the pool fails no add, and the log says which limit it is', async () => {
      const url = await userWith(await migratedDatabase(server.url), toRun);
      await runSql(server.url, `alter user ${url.username} with max_user_connections 3`);
      const onWarning = vi.fn<(message: string) => void>();
      const { store } = await openStore({ connectionString: url.href, maxWrites: 10, maxBatch: 1, onWarning });
      expect(await Promise.all(plants(64).map((plant) => store.plants.add(plant)))).toEqual(Array(64).fill(added));
      expect(onWarning.mock.calls).toEqual([[expect.stringMatching(/max_user_connections.*; raise max_connections/)]]);
    });

    test('a store that is closed and an export that is not read to its end leave no connection on the server', async () => {
      const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });
      await store.plants.add(fern);
      await expect.poll(() => sessionsOf(url)).toHaveLength(1);
      await store.close();
      // Sooner than a connection that has been idle for 10 s is closed.
      await expect.poll(() => sessionsOf(url), { timeout: 5_000 }).toEqual([]);

      for await (const plant of mysqlExport({ connectionString: url }).readAll()) {
        expect(plant).toEqual(fern);
        await expect.poll(() => sessionsOf(url)).toHaveLength(1);
        break;
      }
      await expect.poll(() => sessionsOf(url), { timeout: 5_000 }).toEqual([]);
    });

    test('a process exits once its store is closed, even while the server hangs', async () => {
      const program = join(import.meta.dirname, 'processes/close-store.ts');
      expect(await exitWhileServerHangs(program, await migratedDatabase(server.url), server)).toEqual([0, null]);
    });

    test('the server cannot ask for a file of this machine', async () => {
      const sessions = sessionPool({ connectionString: await migratedDatabase(server.url) });
      const load = "load data local infile '/etc/hostname' into table plants";
      // MariaDB's and MySQL's: LOCAL INFILE is off; of mysql2 itself, which asks for it, it would be another.
      await expect(sessions.use((session) => session.query(load))).rejects.toMatchObject({
        errno: expect.toBeOneOf([4166, 3948]),
      });
    });
  },
  { dedicated: true },
);

/** A port that leads to another one. Once it is silenced, the connections that are open by then stay so, and carry nothing. */
async function silentProxy(to: number): Promise<{ readonly port: string; silence(): void }> {
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
    }
    client.pipe(server).pipe(client);
  });
  const port = await listening(proxy, onTestFinished);
  return {
    port: String(port),
    silence() {
      for (const socket of open) socket.unpipe().pause();
    },
  };
}
