import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { onServer, runSql } from '@plant-store/testing-mysql';
import { listening } from '@plant-store/testing-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import { completeOptions, type MysqlOptions } from '../src/options.ts';
import { migratedDatabase } from './open-store.ts';

function open(options: MysqlOptions) {
  const connections = openConnections(completeOptions(options));
  onTestFinished(() => connections.end());
  return connections;
}

type Row = { readonly id: string };

test('packets are not held back, and a server that is gone is noticed by keep-alive', async () => {
  const set = (['setNoDelay', 'setKeepAlive'] as const).map((name) => vi.spyOn(Socket.prototype, name));
  onTestFinished(() => void vi.restoreAllMocks());
  const server = createServer();
  const port = await listening(server, onTestFinished);
  const acquiring = open({ connectionString: `mysql://127.0.0.1:${port}/plants` }).acquire();
  const [accepted] = (await once(server, 'connection')) as [Socket];
  for (const { mock } of set) {
    const at = mock.contexts.findIndex((socket) => (socket as Socket).localPort === accepted.remotePort);
    expect(mock.calls[at]).toEqual([true]);
  }
  accepted.destroy();
  await expect(acquiring).rejects.toThrow();
});

await onServer(() => {
  test('the end cuts off what runs, and the connection with it', async () => {
    const connections = open({ connectionString: await migratedDatabase() });
    const { session, release } = await connections.acquire();
    const running = expect(session.query('select sleep(25)')).rejects.toThrow('the connection was closed');
    const ended = connections.end();
    await running;
    expect(session.isUsable).toBe(false);
    release();
    await ended;
  });

  test('a statement that is late fails, and its connection is closed', async () => {
    const connections = open({ connectionString: await migratedDatabase(), dropAfterMs: 300 });
    const running = connections.use(({ query }) => query('select sleep(25)'));
    await expect(running).rejects.toThrow('the server did not end a statement within 300 ms');
    expect(await connections.use(({ query }) => query("select 'one' as one"))).toEqual([{ one: 'one' }]);
  });

  test('one that is lost before it is used again is passed over', async () => {
    const connectionString = await migratedDatabase();
    const onError = vi.fn<(error: Error) => void>();
    const connections = open({ connectionString, onError });
    const kept = await connections.acquire();
    const [{ id } = {}] = (await kept.session.query('select connection_id() as id')) as Row[];
    const lost = await connections.acquire();
    const [{ id: lostId } = {}] = (await lost.session.query('select connection_id() as id')) as Row[];
    kept.release();
    // The one that somebody has is not reported.
    for (const each of [lostId, id]) await runSql(connectionString, `kill ${each}`);
    await expect.poll(() => lost.session.isUsable).toBe(false);
    lost.release();
    await expect.poll(() => onError.mock.calls.length).toBe(1);
    expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to MySQL lost: /);
    expect(await connections.use(({ query }) => query('select connection_id() as id'))).not.toEqual([{ id }]);
  });

  test('the server cannot ask for a file of this machine', async () => {
    const connections = open({ connectionString: await migratedDatabase() });
    const loading = connections.use(({ query }) => query("load data local infile '/etc/hostname' into table plants"));
    // MariaDB's and MySQL's: LOCAL INFILE is off; of mysql2 itself, which asks for it, it would be another.
    await expect(loading).rejects.toMatchObject({ errno: expect.toBeOneOf([4166, 3948]) });
  });
});
