import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { withTimeout } from '@plant-store/group-commit';
import type { StoreErrors } from '../errors.ts';
import type { CompleteServerOptions } from '../options.ts';

/**
 * A session of a database server, on a connection of the driver's pool. It tracks the statements and the error that makes the
 * connection unusable. Times are those of `performance.now()`.
 */
export abstract class DriverSession {
  readonly openedAt: number = performance.now();
  /** The time of the server's last response. */
  respondedAt: number = this.openedAt;
  /** The start of the running statement; Infinity if none runs. */
  busySince = Infinity;
  /** When the caller that has acquired it stops waiting. */
  deadline = Infinity;
  protected fault: Error | undefined;

  /** Why the connection is unusable; undefined if it is usable. */
  get failure(): Error | undefined {
    return this.fault;
  }

  /** Runs a message to the server that has no values. */
  abstract command(sql: string): Promise<unknown>;
  /** Returns the connection to the driver's pool, which closes it if it is unusable. */
  abstract release(): void;
  /** Closes the connection, so a running statement fails. The session must still be released. */
  abstract destroy(): void;

  /** Runs work in a transaction. @param begin the messages that begin it. @throws what the work or a message throws. */
  async transaction<Result>(begin: readonly string[], work: () => Promise<Result>): Promise<Result> {
    try {
      for (const each of begin) await this.command(each);
      const result = await work();
      await this.command('commit');
      return result;
    } catch (error) {
      // A lost connection has nothing to roll back.
      if (!this.failure) await this.command('rollback');
      throw error;
    }
  }

  /** Throws the error that made the session unusable, because Kysely would wait for a rollback on a lost connection. */
  protected assertUsable(): void {
    if (this.fault) throw this.fault;
  }

  /**
   * Runs a statement.
   *
   * @param endsSession whether the session is unusable if the statement fails, because a transaction may then be open.
   * @throws the statement's error, or the error that made the session unusable meanwhile.
   */
  protected async track<Result>(
    run: () => Promise<Result>,
    { isConnectionLost }: StoreErrors,
    endsSession: boolean,
  ): Promise<Result> {
    this.busySince = performance.now();
    try {
      const result = await run();
      this.respondedAt = performance.now();
      return result;
    } catch (error) {
      if (isConnectionLost(error) || endsSession) this.fault ??= error as Error;
      else this.respondedAt = performance.now();
      throw this.fault ?? error;
    } finally {
      this.busySince = Infinity;
    }
  }
}

/** The comment before each statement, by which the server's list of sessions shows ours, even behind a pooler. */
export const OWN = '/* plant-store */';

/** A driver's pool, and what the session pool has to know about the server. */
export interface SessionSource<Session extends DriverSession> {
  /** Acquires a session from the driver's pool, which may open one. */
  connect(): Promise<Session>;
  /** Sets up and checks a new session within a time in milliseconds. @throws {Error} if it must not be used. */
  prepare(session: Session, withinMs: number): Promise<void>;
  /** The number of idle sessions in the driver's pool. */
  idleCount(): number;
  /** Whether the server, or the user's account, allows no more connections. */
  isTooManyConnections(error: unknown): boolean;
  /** Closes all sessions. */
  end(): Promise<void>;
  readonly errors: StoreErrors;
}

/** A driver's pool of sessions. */
export interface SessionPool<Session extends DriverSession> {
  /**
   * Acquires a session for exclusive use.
   *
   * @param deadline a time of `performance.now()`. A session that is ready later serves the next caller. Connecting, and then
   *   checking a new session, may each fail after {@link CompleteServerOptions.connectWithinMs}, which may be before it.
   * @throws {StoreUnavailable} if none is available in time.
   */
  acquire(deadline?: number): Promise<Session>;
  /** Returns an acquired session. */
  release(session: Session): void;
  /** Acquires a session, runs statements on it and releases it. @throws what they throw, or what `acquire` throws. */
  use<Result>(statements: (session: Session) => Promise<Result>, deadline?: number): Promise<Result>;
  /** Closes the sessions. Statements in flight fail. */
  end(): Promise<void>;
}

/**
 * Adds to a driver's pool, which holds the sessions and closes idle ones:
 * - If the server allows fewer connections than `poolSize`, callers wait for a session in use.
 * - If a statement gets no response until its deadline, sessions without a response since its start are closed. A firewall that
 *   drops packets then costs one timeout, not one for each connection.
 * - A session is used for at most {@link MAX_LIFETIME_MS}, for which mysql2's pool has no option.
 */
export function sessionPool<Session extends DriverSession>(
  { connect, prepare, idleCount, isTooManyConnections, end, errors }: SessionSource<Session>,
  { poolSize, connectWithinMs, observer, onWarning }: CompleteServerOptions,
): SessionPool<Session> {
  const inUse = new Set<Session>();
  const prepared = new WeakSet<Session>();
  let pending = 0;
  let unresponsiveSince = 0;
  let isWarned = false;
  let isEnded = false;
  observer.watchConnections(() => ({ used: inUse.size, idle: idleCount(), pending, max: poolSize }));

  async function acquire(deadline = Infinity): Promise<Session> {
    const acquiring = acquireBy(deadline);
    if (deadline === Infinity) return acquiring;
    const late = () => new StoreUnavailable('no connection was ready before the deadline');
    try {
      const session = await withTimeout(acquiring, Math.max(1, deadline - performance.now()), late);
      if (performance.now() >= deadline) throw late();
      return session;
    } catch (error) {
      // Otherwise no session would ever be ready behind a network that is slower than the deadline.
      acquiring.then(release, () => {});
      throw error;
    }
  }

  async function acquireBy(deadline: number): Promise<Session> {
    const until = Math.min(deadline, performance.now() + connectWithinMs);
    pending += 1;
    try {
      for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS)) {
        const session = await connectOrWait(until, pauseMs);
        if (session && isUsable(session)) {
          inUse.add(session);
          await prepareNew(session);
          return Object.assign(session, { deadline });
        }
        if (session) discard(session);
        if (isEnded) break;
      }
    } catch (error) {
      if (!isEnded) throw errors.translate(error);
    } finally {
      pending -= 1;
    }
    throw new StoreUnavailable('the store is closed');
  }

  /** Resolves with undefined, after a pause, if a session that is in use or being opened may become free. */
  async function connectOrWait(until: number, pauseMs: number): Promise<Session | undefined> {
    try {
      return await connect();
    } catch (error) {
      const isOnlyCaller = inUse.size === 0 && pending === 1;
      if (!isTooManyConnections(error) || isOnlyCaller || performance.now() + pauseMs > until) throw error;
      if (!isWarned)
        onWarning(`${(errors.translate(error) as Error).message}; until then requests share the open connections`);
      isWarned = true;
      await sleep(pauseMs);
      return undefined;
    }
  }

  function isUsable({ failure, openedAt, respondedAt }: Session): boolean {
    const now = performance.now();
    for (const { busySince, deadline } of inUse)
      if (busySince < now && deadline <= now) unresponsiveSince = Math.max(unresponsiveSince, busySince);
    return failure === undefined && !isEnded && respondedAt >= unresponsiveSince && now - openedAt < MAX_LIFETIME_MS;
  }

  async function prepareNew(session: Session): Promise<void> {
    if (prepared.has(session)) return;
    try {
      await prepare(session, connectWithinMs);
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
    session.release();
  }

  return {
    acquire,
    release,
    async use(statements, deadline = Infinity) {
      const session = await acquire(deadline);
      try {
        return await statements(session);
      } finally {
        release(session);
      }
    },
    async end() {
      isEnded = true;
      for (const session of inUse) session.destroy();
      await end();
    },
  };
}

/** 10 ms: a few commits, after which a session is free. The pause doubles, to spare a server that is full. */
const RETRY_MS = 10;
const MAX_RETRY_MS = 200;

/** 5 min: a session that is never idle would not notice a changed setting of its server. */
const MAX_LIFETIME_MS = 300_000;
