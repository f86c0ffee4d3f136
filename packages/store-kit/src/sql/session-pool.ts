import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import type { StoreErrors } from '../errors.ts';
import type { CompleteServerOptions } from '../options.ts';

/** A session of a database server, on a connection of the driver's pool. Times are those of `performance.now()`. */
export interface DriverSession {
  readonly openedAt: number;
  /** When the server responded last. */
  readonly respondedAt: number;
  /** Since when a statement runs; Infinity if none does. */
  readonly busySince: number;
  /** What has left the connection unusable; undefined while it is well. */
  readonly failure: Error | undefined;
  /** Gives the connection back to the driver's pool, which closes it if it cannot be used again. */
  giveBack(): void;
  /** Closes the connection; a statement that runs fails. The session still has to be given back. */
  destroy(): void;
}

/** The pool of a driver, and what it does not know of its server. */
export interface SessionSource<Session extends DriverSession> {
  /** What the server is called in messages: `PostgreSQL`. */
  readonly server: string;
  /** Takes a session from the driver's pool, which opens one if need be. */
  take(): Promise<Session>;
  /** Sets a new session up, and checks it. @throws {Error} when it must not be used. */
  prepare(session: Session): Promise<void>;
  /** How many sessions nobody uses. */
  idle(): number;
  /** Whether the server, or the user's account, allows no more connections. */
  isFull(error: unknown): boolean;
  /** Closes all sessions. */
  end(): Promise<void>;
  readonly errors: StoreErrors;
}

/** Lends the sessions of a driver's pool. */
export interface SessionPool<Session extends DriverSession> {
  /** @throws {StoreUnavailable} when none can be had. */
  acquire(): Promise<Session>;
  release(session: Session): void;
  /** Runs statements on a session that nobody else uses until then. @throws what they throw, or `acquire`. */
  use<Result>(statements: (session: Session) => Promise<Result>): Promise<Result>;
  /** Closes the sessions; what still runs is cut off. */
  end(): Promise<void>;
}

/**
 * Lends the sessions of a driver's pool, and adds what such pools lack:
 * - Where the server allows fewer connections than the pool has, callers wait for those that there are.
 * - Once a statement has had no response for half of `timeoutMs`, sessions that were silent since are not used any more: a
 *   firewall that drops connections in silence costs one time-out, not one for each.
 * - A session is used for {@link LONGEST_USE_MS} at most, and a statement may run for `dropAfterMs`.
 * - A session that is released is kept up to {@link KEEP_MS} for the next caller, unless one waits: a driver's pool, with its timers
 *   and listeners, takes a tenth of the CPU of an add that is alone.
 */
export function sessionPool<Session extends DriverSession>(
  { server, take, prepare, idle, isFull, end, errors }: SessionSource<Session>,
  { poolSize, connectWithinMs, timeoutMs, dropAfterMs, observer, onError, onWarning }: CompleteServerOptions,
): SessionPool<Session> {
  const lent = new Set<Session>();
  const prepared = new WeakSet<Session>();
  let kept: Session[] = [];
  let isKeeping = false;
  let pending = 0;
  let silentSince = 0;
  let isWarned = false;
  let isEnded = false;
  observer.watchConnections(() => ({ used: lent.size, idle: idle() + kept.length, pending, max: poolSize }));
  const sweep = setInterval(() => {
    for (const session of lent) if (performance.now() - session.busySince >= dropAfterMs) session.destroy();
  }, SWEEP_MS).unref();

  async function acquire(): Promise<Session> {
    for (let session = kept.pop(); session; session = kept.pop()) {
      if (isGood(session)) return lend(session);
      reportLost(session);
      discard(session);
    }
    const deadline = performance.now() + connectWithinMs;
    pending += 1;
    try {
      for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS)) {
        const session = await takeOrWait(deadline, pauseMs);
        if (session && isGood(session)) {
          lend(session);
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

  /** Nothing if there is none now, and one that others have, or are opening, may be free soon. */
  async function takeOrWait(deadline: number, pauseMs: number): Promise<Session | undefined> {
    try {
      return await take();
    } catch (error) {
      const isAlone = lent.size === 0 && pending === 1;
      if (!isFull(error) || isAlone || performance.now() + pauseMs > deadline) throw error;
      if (!isWarned)
        onWarning(`${(errors.translate(error) as Error).message}; until then plants wait for those that there are`);
      isWarned = true;
      await sleep(pauseMs);
      return undefined;
    }
  }

  function isGood({ failure, openedAt, respondedAt }: Session): boolean {
    const now = performance.now();
    for (const { busySince } of lent)
      if (now - busySince >= timeoutMs / 2) silentSince = Math.max(silentSince, busySince);
    return failure === undefined && !isEnded && respondedAt >= silentSince && now - openedAt < LONGEST_USE_MS;
  }

  async function prepareNew(session: Session): Promise<void> {
    try {
      await prepare(session);
      prepared.add(session);
    } catch (error) {
      lent.delete(session);
      discard(session);
      throw error;
    }
  }

  function discard(session: Session): void {
    session.destroy();
    session.giveBack();
  }

  function lend(session: Session): Session {
    lent.add(session);
    return session;
  }

  function release(session: Session): void {
    lent.delete(session);
    if (isEnded || pending > 0 || session.failure) {
      session.giveBack();
      return;
    }
    kept.push(session);
    if (isKeeping) return;
    isKeeping = true;
    setTimeout(() => {
      isKeeping = false;
      giveBackKept();
    }, KEEP_MS).unref();
  }

  function giveBackKept(): void {
    for (const session of kept) {
      reportLost(session);
      session.giveBack();
    }
    kept = [];
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
      for (const session of lent) session.destroy();
      giveBackKept();
      await end();
    },
  };
}

/** 1 s: whoever wants idle connections closed does not wait much longer, and under load the pool sees one a second. */
const KEEP_MS = 1_000;

/** 1 s: late statements are told by their callers' time-outs; this only frees what they hold. */
const SWEEP_MS = 1_000;

/** 10 ms: a few commits, after which a session is free. Then twice as long each time, for the sake of a server that is full. */
const RETRY_MS = 10;

/** 200 ms. */
const LONGEST_RETRY_MS = 200;

/** 5 min: a session that is never idle would otherwise not notice that a setting of its server has changed. */
const LONGEST_USE_MS = 300_000;
