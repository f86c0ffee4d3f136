import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import type { StoreErrors } from '../errors.ts';
import type { CompleteServerOptions } from '../options.ts';
import type { DriverSession } from './driver-session.ts';

/** A driver's pool, and what the session pool has to know about the server. */
export interface SessionSource<Session extends DriverSession> {
  /** The name of the server in messages, such as `PostgreSQL`. */
  readonly server: string;
  /** Acquires a session from the driver's pool, which may open one. */
  connect(): Promise<Session>;
  /** Sets up and checks a new session. @throws {Error} if it must not be used. */
  prepare(session: Session): Promise<void>;
  /** The number of idle sessions in the driver's pool. */
  idleCount(): number;
  /** Whether the server, or the user's account, allows no more connections. */
  isTooManyConnections(error: unknown): boolean;
  /** Closes all sessions. */
  end(): Promise<void>;
  readonly errors: StoreErrors;
}

/** A pool of sessions. */
export interface SessionPool<Session extends DriverSession> {
  /** Acquires a session for exclusive use. @throws {StoreUnavailable} if none is available in time. */
  acquire(): Promise<Session>;
  /** Returns an acquired session. */
  release(session: Session): void;
  /** Acquires a session, runs statements on it and releases it. @throws what they throw, or what `acquire` throws. */
  use<Result>(statements: (session: Session) => Promise<Result>): Promise<Result>;
  /** Closes the sessions. Statements in flight fail. */
  end(): Promise<void>;
}

/**
 * Makes a session pool that adds to a driver's pool:
 * - If the server allows fewer connections than `poolSize`, callers wait for a session in use.
 * - If a statement gets no response for half of `timeoutMs`, sessions without a response since its start are closed. A firewall
 *   that drops packets then costs one timeout, not one for each connection.
 * - A session is used for at most {@link MAX_LIFETIME_MS}, and a statement runs for at most `dropAfterMs`.
 * - If no caller waits, a released session stays here for up to {@link CACHE_MS}. The timers and listeners of a driver's pool take
 *   a tenth of the CPU of an add that is alone.
 */
export function sessionPool<Session extends DriverSession>(
  { server, connect, prepare, idleCount, isTooManyConnections, end, errors }: SessionSource<Session>,
  { poolSize, connectWithinMs, timeoutMs, dropAfterMs, observer, onError, onWarning }: CompleteServerOptions,
): SessionPool<Session> {
  const inUse = new Set<Session>();
  const prepared = new WeakSet<Session>();
  let cached: Session[] = [];
  let isReleaseScheduled = false;
  let pending = 0;
  let unresponsiveSince = 0;
  let isWarned = false;
  let isEnded = false;
  observer.watchConnections(() => ({ used: inUse.size, idle: idleCount() + cached.length, pending, max: poolSize }));
  const sweep = setInterval(() => {
    for (const session of inUse) if (performance.now() - session.busySince >= dropAfterMs) session.destroy();
  }, SWEEP_MS).unref();

  async function acquire(): Promise<Session> {
    for (let session = cached.pop(); session; session = cached.pop()) {
      if (isUsable(session)) {
        inUse.add(session);
        return session;
      }
      reportLost(session);
      discard(session);
    }
    const deadline = performance.now() + connectWithinMs;
    pending += 1;
    try {
      for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
        const session = await connectOrWait(deadline, pauseMs);
        if (session && isUsable(session)) {
          inUse.add(session);
          if (!prepared.has(session)) await prepareNew(session);
          return session;
        }
        if (session) discard(session);
        if (isEnded) throw new StoreUnavailable('the store is closed');
      }
    } catch (error) {
      throw isEnded ? new StoreUnavailable('the store is closed') : errors.translate(error);
    } finally {
      pending -= 1;
    }
  }

  /** Resolves with undefined, after a pause, if a session that is in use or being opened may become free. */
  async function connectOrWait(deadline: number, pauseMs: number): Promise<Session | undefined> {
    try {
      return await connect();
    } catch (error) {
      const isOnlyCaller = inUse.size === 0 && pending === 1;
      if (!isTooManyConnections(error) || isOnlyCaller || performance.now() + pauseMs > deadline) throw error;
      if (!isWarned)
        onWarning(`${(errors.translate(error) as Error).message}; until then requests share the open connections`);
      isWarned = true;
      await sleep(pauseMs);
      return undefined;
    }
  }

  function isUsable({ failure, openedAt, respondedAt }: Session): boolean {
    const now = performance.now();
    for (const { busySince } of inUse)
      if (now - busySince >= timeoutMs / 2) unresponsiveSince = Math.max(unresponsiveSince, busySince);
    return failure === undefined && !isEnded && respondedAt >= unresponsiveSince && now - openedAt < MAX_LIFETIME_MS;
  }

  async function prepareNew(session: Session): Promise<void> {
    try {
      await prepare(session);
      prepared.add(session);
    } catch (error) {
      inUse.delete(session);
      discard(session);
      throw error;
    }
  }

  function discard(session: Session): void {
    session.destroy();
    session.release();
  }

  function release(session: Session): void {
    inUse.delete(session);
    if (isEnded || pending > 0 || session.failure) {
      session.release();
      return;
    }
    cached.push(session);
    if (isReleaseScheduled) return;
    isReleaseScheduled = true;
    setTimeout(() => {
      isReleaseScheduled = false;
      releaseCached();
    }, CACHE_MS).unref();
  }

  function releaseCached(): void {
    for (const session of cached) {
      reportLost(session);
      session.release();
    }
    cached = [];
  }

  function reportLost({ failure }: Session): void {
    if (failure && !isEnded) onError(new Error(`idle connection to ${server} lost: ${failure.message}`));
  }

  return {
    acquire,
    release,
    async use(statements) {
      const session = await acquire();
      try {
        return await statements(session);
      } finally {
        release(session);
      }
    },
    async end() {
      isEnded = true;
      clearInterval(sweep);
      for (const session of inUse) session.destroy();
      releaseCached();
      await end();
    },
  };
}

/** 1 s: the driver's pool soon closes idle connections, and under load it handles one session a second. */
const CACHE_MS = 1_000;

/** 1 s: callers have timeouts of their own, and this only frees the connection. */
const SWEEP_MS = 1_000;

/** 10 ms: a few commits, after which a session is free. The pause doubles, to spare a server that is full. */
const RETRY_MS = 10;
const MAX_RETRY_MS = 200;

/** 5 min: a session that is never idle would not notice a changed setting of its server. */
const MAX_LIFETIME_MS = 300_000;
