import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { completeServerOptions, type ServerOptions, storeErrors, unobserved } from '@plant-store/store-kit';
import { DriverSession, type SessionSource, sessionPool } from '@plant-store/store-kit/sql';
import { expect, onTestFinished, test, vi } from 'vitest';

/** A session whose state the test sets. */
class FakeSession extends DriverSession {
  override openedAt = performance.now();
  isDestroyed = false;
  readonly release = vi.fn<() => void>();
  override get failure(): Error | undefined {
    return this.isDestroyed ? new Error('gone') : undefined;
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

const full = new Error('too many connections');

/** A session pool over a driver's pool without a limit, on a server that allows `allowed` connections. */
function setUp(allowed: number, options: Partial<ServerOptions> = {}) {
  const idle: FakeSession[] = [];
  let opened = 0;
  const source: SessionSource<FakeSession> = {
    server: 'Server',
    async connect() {
      const session = idle.pop() ?? new FakeSession();
      if (session.release.mock.calls.length > 0) return session;
      if (opened === allowed) throw full;
      opened += 1;
      session.release.mockImplementation(() => {
        if (session.isDestroyed) opened -= 1;
        else idle.push(session);
      });
      return session;
    },
    prepare: vi.fn<(session: FakeSession) => Promise<void>>(async () => {}),
    idleCount: () => idle.length,
    isTooManyConnections: (error) => error === full,
    end: async () => {},
    errors: storeErrors('Server', () => ['unavailable', 'allow more']),
  };
  const onWarning = vi.fn<(message: string) => void>();
  let figures = () => ({});
  const watchConnections = (read: typeof figures) => {
    figures = read;
  };
  const completed = completeServerOptions({
    connectionString: '',
    onWarning,
    observer: { ...unobserved, watchConnections },
    ...options,
  });
  const pool = sessionPool(source, completed);
  onTestFinished(() => pool.end());
  return { pool, source, onWarning, figures: () => figures() };
}

test('a released session goes back to the driver immediately if a caller waits, otherwise after a second', async () => {
  const { pool } = setUp(1);
  const session = await pool.acquire();
  pool.release(session);
  expect(session.release).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(session.release).toHaveBeenCalledTimes(1), 20_000);
  const again = await pool.acquire();
  const waiting = pool.acquire();
  await sleep(1);
  pool.release(again);
  expect(session.release).toHaveBeenCalledTimes(2);
  expect(await waiting).toBe(session);
});

test('a session that is lost while it is cached is reported, and not used again', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { pool } = setUp(2, { onError });
  const session = await pool.acquire();
  pool.release(session);
  session.destroy();
  expect(await pool.acquire()).not.toBe(session);
  expect(onError.mock.calls).toEqual([[new Error('idle connection to Server lost: gone')]]);
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

test('if a statement gets no response, sessions without a response since its start are closed', async () => {
  const { pool } = setUp(10, { timeoutMs: 40 });
  const [stuck, silent, answered] = [await pool.acquire(), await pool.acquire(), await pool.acquire()];
  stuck.busySince = performance.now();
  pool.release(silent);
  await sleep(30);
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

test('a statement that runs for longer than dropAfterMs is aborted, and so are all statements when the pool ends', async () => {
  const { pool } = setUp(10, { dropAfterMs: 100 });
  const [late, other] = [await pool.acquire(), await pool.acquire()];
  late.busySince = performance.now();
  await vi.waitFor(() => expect(late.isDestroyed).toBe(true), 20_000);
  expect(other.isDestroyed).toBe(false);
  await pool.end();
  expect(other.isDestroyed).toBe(true);
});
