import { Socket } from 'node:net';
import { StoreUnavailable } from '@plant-store/domain';
import { onServer } from '@plant-store/testing-mysql';
import { TimeoutError } from 'tarn';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../src/driver/connections.ts';
import { completeOptions, type MysqlOptions } from '../src/options.ts';
import { migratedDatabase } from './open-store.ts';

function open(options: MysqlOptions) {
  const connections = openConnections(completeOptions(options));
  onTestFinished(() => connections.end());
  return connections;
}

const unreachable = 'mysql://127.0.0.1:1,127.0.0.1:2/plants';

test('when no host can be reached, the cause has the error of each', async () => {
  const acquiring = open({ connectionString: unreachable }).acquire();
  await expect(acquiring).rejects.toThrow(StoreUnavailable);
  await expect(acquiring).rejects.toMatchObject({
    cause: {
      message: 'no host can be reached that writes',
      errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }],
    },
  });
});

test('after the end there is no connection', async () => {
  const connections = open({ connectionString: unreachable });
  await connections.end();
  await expect(connections.acquire()).rejects.toThrow(new StoreUnavailable('the MySQL store is closed'));
});

await onServer(() => {
  test('a host that is only down is passed over without a warning', async () => {
    const onWarning = vi.fn<(message: string) => void>();
    const url = await migratedDatabase();
    const connections = open({ connectionString: url.replace(/(@|\/\/(?!.*@))/, '$1127.0.0.1:1,'), onWarning });
    await connections.use(({ query }) => query('select 1'));
    expect(onWarning).not.toHaveBeenCalled();
  });

  test('who waits for a connection in vain learns for how long', async () => {
    const connections = open({ connectionString: await migratedDatabase(), poolSize: 1, connectWithinMs: 1_000 });
    const session = await connections.acquire();
    const failure = await connections.acquire().catch((error: unknown) => error);
    connections.release(session);
    expect(failure).toMatchObject({
      message: 'MySQL: no connection within 1000 ms',
      cause: expect.any(TimeoutError),
    });
  });

  test('the end cuts off what runs, and the connection with it', async () => {
    const connections = open({ connectionString: await migratedDatabase() });
    const session = await connections.acquire();
    const running = expect(session.query('select sleep(25)')).rejects.toThrow('the connection was closed');
    const ended = connections.end();
    await running;
    expect(session.isUsable).toBe(false);
    connections.release(session);
    await ended;
  });

  test('the server cannot ask for a file of this machine', async () => {
    const connections = open({ connectionString: await migratedDatabase() });
    const loading = connections.use(({ query }) => query("load data local infile '/etc/hostname' into table plants"));
    // MariaDB's and MySQL's: LOCAL INFILE is off; of mysql2 itself, which asks for it, it would be another.
    await expect(loading).rejects.toMatchObject({ errno: expect.toBeOneOf([4166, 3948]) });
  });

  test('packets are not held back, and a server that is gone is noticed by keep-alive', async () => {
    const connections = open({ connectionString: await migratedDatabase() });
    const noDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
    const keepAlive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    onTestFinished(() => void vi.restoreAllMocks());
    await connections.use(({ query }) => query('select 1'));
    expect(noDelay).toHaveBeenCalledWith(true);
    expect(keepAlive).toHaveBeenCalledWith(true);
  });
});
