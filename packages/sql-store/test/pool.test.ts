import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import {
  type ConnectionFigures,
  completeServerOptions,
  type ServerOptions,
  serverErrors,
  unobserved,
} from '@plant-store/sql-store';
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
    nameOf: (host) => host,
    open: async (host) => sessionOn(host),
    noHost: 'no host',
    errors: serverErrors({
      server: 'Server',
      isReported: () => false,
      codesOf: (error) => [(/misconfigured/.exec(String(error)) ?? [])[0]],
      rows: [{ codes: ['misconfigured'], means: 'misconfigured' }],
    }),
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
  const { session, release } = await pool.acquire();
  const waiting = pool.acquire();
  expect(figures()).toMatchObject({ used: 1, idle: 0, pending: 1 });
  release();
  const next = await waiting;
  expect(next.session).toBe(session);
  next.release();
  expect(figures()).toMatchObject({ used: 0, idle: 1 });
  expect((await pool.acquire()).session).toBe(session);
});

test('the one that was released last is lent first, and one that is released twice is lent once', async () => {
  const pool = open({ poolSize: 3 });
  const [one, another] = [await pool.acquire(), await pool.acquire()];
  for (const { release } of [one, another, one]) release();
  const lent = [await pool.acquire(), await pool.acquire(), await pool.acquire()].map(({ session }) => session);
  expect(new Set(lent).size).toBe(3);
  expect(lent[0]).toBe(another.session);
});

test('one that is released twice goes to one of those who wait, also if the second time is late', async () => {
  const pool = open({ connectWithinMs: 100 });
  const { session, release } = await pool.acquire();
  const waiting = Promise.allSettled([pool.acquire(), pool.acquire()]);
  release();
  release();
  expect(await waiting).toMatchObject([{ value: { session } }, { status: 'rejected' }]);
  release();
  await expect(pool.acquire()).rejects.toThrow('no connection within 100 ms');
});

test('only a session that is lost while nobody has it is reported', async () => {
  const lose: ((error: Error) => void)[] = [];
  const onError = vi.fn<(error: Error) => void>();
  const openOn = async (host: string, _: number, onLost: (error: Error) => void) => {
    lose.push(onLost);
    return sessionOn(host);
  };
  const pool = open({ onError, poolSize: 2 }, { open: openOn });
  await pool.acquire();
  (await pool.acquire()).release();
  for (const each of lose) each(new Error('gone'));
  expect(onError.mock.calls).toEqual([[new Error('idle connection to Server lost: gone')]]);
});

test('an idle session goes back to the pool a second later, by a timer that does not keep the process alive', async () => {
  const pool = open();
  const { release } = await pool.acquire();
  const timer = vi.spyOn(globalThis, 'setTimeout');
  release();
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
    (await pool.acquire()).release();
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
  const { session, release } = await pool.acquire();
  change(session);
  release();
  expect((await pool.acquire()).session).not.toBe(session);
  expect(destroy).toHaveBeenCalledTimes(1);
});

test('who waits for a session in vain learns for how long, and no later', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pool = open({ connectWithinMs: 100 });
  await pool.acquire();
  const waiting = vi.fn<(error: unknown) => void>();
  void pool.acquire().catch(waiting);
  await vi.advanceTimersByTimeAsync(99);
  expect(waiting).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(waiting.mock.calls).toMatchObject([
    [{ message: 'Server: no connection within 100 ms', cause: expect.any(TimeoutError) }],
  ]);
});

test.each(['is used', 'must not be used'])(
  'sessions that a host which hangs keeps are closed if the next one can be used (it %s)',
  async (what) => {
    const isUsed = what === 'is used';
    const openOn = async (host: string) => {
      if (host === 'b' && !isUsed) throw new Error('b is a standby');
      return sessionOn(host);
    };
    const pool = open({ connectWithinMs: 100 }, { open: openOn }, ['a', 'b']);
    const { session: stuck, release } = await pool.acquire();
    await expect(pool.acquire()).rejects.toThrow('no connection within 100 ms');
    await vi.waitFor(() => expect(destroy.mock.contexts.includes(stuck)).toBe(isUsed));
    if (!isUsed) return;
    // As a statement on it fails.
    Object.assign(stuck, { isUsable: false });
    release();
    expect((await pool.acquire()).session.host).toBe('b');
  },
);

test('sessions of a host that is only busy are not cut off', async () => {
  const pool = open({ connectWithinMs: 100 }, {}, ['a', 'b']);
  const working = async () => pool.use(() => sleep(60));
  const results = await Promise.allSettled([working(), working(), working()]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(destroy).not.toHaveBeenCalled();
  expect((await pool.acquire()).session.host).toBe('a');
});

test('a host is not given up because another one, used before, hangs', async () => {
  const openOn = vi.fn(async (host: string) => sessionOn(host));
  const pool = open({ connectWithinMs: 100, poolSize: 2 }, { open: openOn }, ['a', 'b']);
  expect((await pool.acquire()).session.host).toBe('a');
  openOn.mockRejectedValueOnce(new Error('a hangs'));
  const { session } = await pool.acquire();
  expect(session.host).toBe('b');
  await expect(pool.acquire()).rejects.toThrow('no connection within 100 ms');
  await sleep(10);
  expect(destroy.mock.contexts).not.toContain(session);
});

test('a session whose caller timed out while it was opened goes to the next one', async () => {
  const opening = Promise.withResolvers<FakeSession>();
  const pool = open({ connectWithinMs: 100 }, { open: () => opening.promise });
  await expect(pool.acquire()).rejects.toThrow(StoreUnavailable);
  const next = pool.acquire();
  const session = sessionOn('a');
  opening.resolve(session);
  expect(await next).toMatchObject({ session });
});

test('the end closes every session at once, also those that are lent or idle; there is none afterwards', async () => {
  const pool = open({ poolSize: 2 });
  const [lent, idle] = [await pool.acquire(), await pool.acquire()];
  idle.release();
  const ended = pool.end();
  expect(destroy.mock.contexts).toEqual([lent.session, idle.session]);
  lent.release();
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
  let what = 'misconfigured';
  const onWarning = vi.fn<(message: string) => void>();
  const withinMs: number[] = [];
  const pool = open(
    { connectWithinMs: 1_000, poolSize: 9, onWarning },
    {
      async open(host, within) {
        withinMs.push(within);
        if (down.has(host)) throw new Error(`${host} is ${what}`);
        return sessionOn(host);
      },
    },
    ['a', 'b'],
  );
  const next = async () => (await pool.acquire()).session.host;
  expect(await next()).toBe('a');
  down.add('a');
  expect(await next()).toBe('b');
  expect(onWarning.mock.calls).toEqual([['Server: a is passed over: a is misconfigured']]);
  down.clear();
  expect(await next()).toBe('b');
  // Together they may take as long as one, and a little less than whoever waits.
  expect(new Set(withinMs)).toEqual(new Set([450]));
  for (const host of ['a', 'b']) down.add(host);
  await expect(next()).rejects.toMatchObject({
    cause: { message: 'no host', errors: [new Error('b is misconfigured'), new Error('a is misconfigured')] },
  });
  // One that is only down is passed over in silence.
  down.delete('a');
  what = 'down';
  expect(await next()).toBe('a');
  expect(onWarning).toHaveBeenCalledTimes(1);
});

test('a session is closed whose opening ends in a warning that throws', async () => {
  const onWarning = () => {
    throw new Error('no console');
  };
  const openOn = async (host: string) => (host === 'b' ? sessionOn(host) : Promise.reject(new Error('misconfigured')));
  const pool = open({ onWarning }, { open: openOn }, ['a', 'b']);
  await expect(pool.acquire()).rejects.toThrow('no console');
  expect(destroy).toHaveBeenCalledTimes(1);
  expect((await pool.acquire()).session.host).toBe('b');
});
