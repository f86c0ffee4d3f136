import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions, type ServerOptions, storeErrors } from '@plant-store/store-kit';
import { DriverSession, type SessionSource, sessionPool } from '@plant-store/store-kit/sql';
import { expect, onTestFinished, test, vi } from 'vitest';

/** A session whose state the test sets. */
class FakeSession extends DriverSession {
  override openedAt = performance.now();
  isDestroyed = false;
  readonly command = async () => {};
  readonly release = vi.fn<() => void>();
  override get failure(): Error | undefined {
    return this.isDestroyed ? new Error('gone') : undefined;
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

const full = new Error('too many connections');

/** A session pool over a driver's pool, on a server that allows `allowed` connections. */
function setUp(allowed: number, options: Partial<ServerOptions> = {}) {
  const onWarning = vi.fn<(message: string) => void>();
  const completed = completeServerOptions({ connectionString: '', onWarning, ...options });
  const idle: FakeSession[] = [];
  const waiting: ((session: FakeSession) => void)[] = [];
  let opened = 0;
  const source: SessionSource<FakeSession> = {
    async connect() {
      const session = idle.pop() ?? new FakeSession();
      if (session.release.mock.calls.length > 0) return session;
      if (opened === completed.poolSize) return new Promise((resolve) => waiting.push(resolve));
      if (opened === allowed) throw full;
      opened += 1;
      session.release.mockImplementation(() => {
        if (session.isDestroyed) opened -= 1;
        else (waiting.shift() ?? ((free) => idle.push(free)))(session);
      });
      return session;
    },
    prepare: vi.fn<SessionSource<FakeSession>['prepare']>(async () => {}),
    idleCount: () => idle.length,
    isTooManyConnections: (error) => error === full,
    end: async () => {},
    errors: storeErrors('Server', () => ['unavailable', 'allow more']),
  };
  const pool = sessionPool(source, completed);
  onTestFinished(() => pool.end());
  return { pool, source, onWarning };
}

test('a session that is ready only after the deadline runs no statement, and serves the next caller', async () => {
  const { pool, source } = setUp(1);
  vi.mocked(source.prepare).mockImplementationOnce(async (_, withinMs) => {
    await sleep(Math.min(withinMs, 200));
    if (withinMs < 200) throw new StoreUnavailable('the check timed out');
  });
  const work = vi.fn<() => Promise<void>>();
  await expect(pool.use(work, performance.now() + 50)).rejects.toThrow('no connection was ready');
  expect(work).not.toHaveBeenCalled();
  await pool.use(work, performance.now() + 5_000);
  await expect(pool.use(work, performance.now() - 1)).rejects.toThrow('no connection was ready');
  expect(work).toHaveBeenCalledTimes(1);
  expect(source.prepare).toHaveBeenCalledTimes(1);
});

test('the wait for a session in use ends at the deadline, and the pool is whole afterwards', async () => {
  const { pool } = setUp(1, { poolSize: 1 });
  const session = await pool.acquire();
  await expect(pool.acquire(performance.now() + 100)).rejects.toThrow('no connection was ready');
  pool.release(session);
  expect(await pool.acquire(performance.now() + 5_000)).toBe(session);
});

test('a session that must not be used is closed, and the next one tried', async () => {
  const { pool, source } = setUp(10);
  vi.mocked(source.prepare).mockRejectedValueOnce(new StoreUnavailable('a standby'));
  await expect(pool.acquire()).rejects.toThrow('a standby');
  expect(vi.mocked(source.prepare).mock.calls[0]?.[0]).toMatchObject({ isDestroyed: true });
  await pool.use(async ({ isDestroyed }) => expect(isDestroyed).toBe(false));
});

test('if the server allows fewer sessions than the pool, callers wait for a session in use, or fail in time', async () => {
  await expect(setUp(0).pool.acquire()).rejects.toThrow('Server: too many connections; allow more');
  const { pool, onWarning } = setUp(1, { connectWithinMs: 2_000 });
  const session = await pool.acquire();
  setTimeout(() => pool.release(session), 20);
  expect(await pool.acquire()).toBe(session);
  await expect(pool.acquire()).rejects.toThrow(StoreUnavailable);
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining('allow more; until then requests share')]]);
});

test('if a statement gets no response until its deadline, sessions without a response since its start are closed', async () => {
  const { pool } = setUp(10);
  const stuck = await pool.acquire(performance.now() + 40);
  const [silent, answered] = [await pool.acquire(), await pool.acquire()];
  stuck.busySince = performance.now();
  pool.release(silent);
  expect(await pool.acquire()).toBe(silent);
  pool.release(silent);
  await sleep(50);
  answered.respondedAt = performance.now();
  pool.release(answered);
  expect(await pool.acquire()).toBe(answered);
  expect(await pool.acquire()).not.toBe(silent);
  expect(silent.isDestroyed).toBe(true);
});

test('a session is not used for longer than five minutes', async () => {
  const { pool } = setUp(10);
  const session = await pool.acquire();
  session.openedAt -= 300_000;
  pool.release(session);
  expect(await pool.acquire()).not.toBe(session);
});

test('all statements are aborted when the pool ends', async () => {
  const { pool } = setUp(10);
  const session = await pool.acquire();
  await pool.end();
  expect(session.isDestroyed).toBe(true);
  await expect(pool.acquire()).rejects.toThrow('the store is closed');
});
