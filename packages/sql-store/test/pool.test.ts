import { StoreUnavailable } from '@plant-store/domain';
import { type ConnectionFigures, completeServerOptions, type ServerOptions, unobserved } from '@plant-store/sql-store';
import { openServerPool, type PooledServer, type ServerSession } from '@plant-store/sql-store/pool';
import { TimeoutError } from 'tarn';
import { expect, onTestFinished, test, vi } from 'vitest';

interface FakeSession extends ServerSession {
  readonly host: string;
}

const destroy = vi.fn<() => void>();
const sessionOn = (host: string): FakeSession => ({ host, isUsable: true, destroy });

function open(
  options: Partial<ServerOptions> = {},
  changes: Partial<PooledServer<string, FakeSession>> = {},
  hosts: readonly string[] = ['a'],
) {
  destroy.mockClear();
  return openServerPool(completeServerOptions({ connectionString: '', poolSize: 1, ...options }), {
    server: 'Server',
    hosts,
    open: async (host) => sessionOn(host),
    noHost: 'no host',
    storeUnavailable: (cause) => new StoreUnavailable('unavailable', { cause }),
    ...changes,
  });
}

test('a session that is released goes to whoever waits, then to whoever comes next, and is idle meanwhile', async () => {
  let figures = (): Partial<ConnectionFigures> => ({});
  const watchConnections = (get: typeof figures) => {
    // An observer may ask at once.
    expect(get()).toEqual({ used: 0, idle: 0, pending: 0, max: 1 });
    figures = get;
  };
  const pool = open({ observer: { ...unobserved, watchConnections } });
  const session = await pool.acquire();
  const waiting = pool.acquire();
  expect(figures()).toMatchObject({ used: 1, idle: 0, pending: 1 });
  pool.release(session);
  expect(await waiting).toBe(session);
  pool.release(session);
  expect(figures()).toMatchObject({ used: 0, idle: 1 });
  expect(await pool.acquire()).toBe(session);
  pool.release(session);
});

test('the one that was released last is lent first, and one that is released twice is lent once', async () => {
  const pool = open({ poolSize: 3 });
  const [one, another] = [await pool.acquire(), await pool.acquire()];
  for (const session of [one, another, one]) pool.release(session);
  const lent = [await pool.acquire(), await pool.acquire(), await pool.acquire()];
  expect(new Set(lent).size).toBe(3);
  expect(lent[0]).toBe(another);
});

test('an idle session goes back to the pool a second later, by a timer that does not keep the process alive', async () => {
  const pool = open();
  const session = await pool.acquire();
  const timer = vi.spyOn(globalThis, 'setTimeout');
  pool.release(session);
  const timers = timer.mock.results.map(({ value }) => value.hasRef());
  const calls = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  expect([timers, calls]).toEqual([[false], [1_000]]);
});

test('a session that nobody takes is closed, some 10 s after it went back, and the next one as well', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = open();
  for (const closed of [1, 2]) {
    pool.release(await pool.acquire());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(destroy).toHaveBeenCalledTimes(closed - 1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(destroy).toHaveBeenCalledTimes(closed);
  }
});

test.each([
  ['is unusable', (session: FakeSession) => void Object.assign(session, { isUsable: false })],
  [
    'was opened 5 minutes ago',
    () => {
      const later = performance.now() + 300_000;
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
      onTestFinished(() => clock.mockRestore());
    },
  ],
])('a session that %s is closed instead of lent', async (_, change) => {
  const pool = open();
  const session = await pool.acquire();
  change(session);
  pool.release(session);
  expect(await pool.acquire()).not.toBe(session);
  expect(destroy).toHaveBeenCalledTimes(1);
});

test('who waits for a session in vain learns for how long', async () => {
  const pool = open({ connectWithinMs: 100 });
  await pool.acquire();
  expect(await pool.acquire().catch((error: unknown) => error)).toMatchObject({
    message: 'Server: no connection within 100 ms',
    cause: expect.any(TimeoutError),
  });
});

test('a session whose caller timed out while it was opened goes to the next one', async () => {
  const opening = Promise.withResolvers<FakeSession>();
  const pool = open({ connectWithinMs: 100 }, { open: () => opening.promise });
  await expect(pool.acquire()).rejects.toThrow(StoreUnavailable);
  const next = pool.acquire();
  const session = sessionOn('a');
  opening.resolve(session);
  expect(await next).toBe(session);
});

test('the end closes every session at once, also those that are lent or idle; there is none afterwards', async () => {
  const pool = open({ poolSize: 2 });
  const [lent, idle] = [await pool.acquire(), await pool.acquire()];
  pool.release(idle);
  const ended = pool.end();
  expect(destroy.mock.contexts).toEqual([lent, idle]);
  pool.release(lent);
  await ended;
  await expect(pool.acquire()).rejects.toThrow(new StoreUnavailable('the Server store is closed'));
});

test('a session that opens after the end is closed, and not lent', async () => {
  const opening = Promise.withResolvers<FakeSession>();
  const pool = open({}, { open: () => opening.promise });
  const waiting = pool.acquire().catch((error: unknown) => error);
  const ended = pool.end();
  opening.resolve(sessionOn('a'));
  expect(await waiting).toEqual(new StoreUnavailable('the Server store is closed'));
  await ended;
  expect(destroy).toHaveBeenCalled();
});

test('sessions go to the host of the last one until it fails; who is passed over is told once another one is found', async () => {
  const down = new Set<string>();
  const onPassedOver = vi.fn<(host: string, error: unknown) => void>();
  const withinMs: number[] = [];
  const pool = open(
    { connectWithinMs: 1_000, poolSize: 9 },
    {
      onPassedOver,
      async open(host, within) {
        withinMs.push(within);
        if (down.has(host)) throw new Error(`${host} is down`);
        return sessionOn(host);
      },
    },
    ['a', 'b'],
  );
  const next = async () => (await pool.acquire()).host;
  expect(await next()).toBe('a');
  down.add('a');
  expect(await next()).toBe('b');
  expect(onPassedOver.mock.calls).toEqual([['a', new Error('a is down')]]);
  down.clear();
  expect(await next()).toBe('b');
  // Together they may take as long as one.
  expect(new Set(withinMs)).toEqual(new Set([500]));
  for (const host of ['a', 'b']) down.add(host);
  await expect(next()).rejects.toMatchObject({
    cause: { message: 'no host', errors: [new Error('b is down'), new Error('a is down')] },
  });
  expect(onPassedOver).toHaveBeenCalledTimes(1);
});
