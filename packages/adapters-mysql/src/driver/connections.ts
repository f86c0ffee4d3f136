import type { Socket } from 'node:net';
import { StoreUnavailable } from '@plant-store/domain';
import { keptConnections, sharedTimeout } from '@plant-store/sql-store';
import { Pool, TimeoutError } from 'tarn';
import { isMisconfiguration, MysqlError, messageOf, storeUnavailable } from '../errors.ts';
import type { CompleteOptions } from '../options.ts';
import { parseConnectionString } from './connection-string.ts';
import { openSession, type Session, sslOptions } from './session.ts';

/** The connections of a store to one server, or to whichever of several can write. */
export interface Connections {
  /**
   * Runs statements on a connection that nobody else uses until then.
   *
   * @throws {StoreUnavailable} when there is none within `connectWithinMs`; what the statements throw.
   */
  use<Result>(statements: (session: Session) => Promise<Result>): Promise<Result>;
  /** A connection to keep until it is released. @throws {StoreUnavailable} as above. */
  acquire(): Promise<Session>;
  release(session: Session): void;
  /** Closes the connections; what still runs is cut off. */
  end(): Promise<void>;
}

/**
 * Opens none yet. With several hosts, a connection goes to the one that the last one went to; when that fails, or does
 * not write, to the next one that does.
 *
 * @throws {Error} when the connection string cannot be used.
 */
export function openConnections(options: CompleteOptions): Connections {
  const { poolSize, connectWithinMs, dropAfterMs, onError, onWarning, observer } = options;
  const to = parseConnectionString(options.connectionString);
  // A file that is missing is the operator's mistake and must not look like an outage later.
  sslOptions(to);
  // All hosts together may take as long as one.
  const sessionOptions = {
    table: options.table,
    connectWithinMs: Math.max(1, Math.floor(connectWithinMs / to.hosts.length)),
    timeout: sharedTimeout<Socket>(dropAfterMs, (socket) =>
      socket.destroy(new MysqlError(`the server did not end a statement within ${dropAfterMs} ms`, {})),
    ),
    onLost: ({ message }: Error) => onError(new Error(`idle connection to MySQL lost: ${message}`)),
  };
  let preferred = 0;

  async function create(): Promise<Session> {
    const errors: unknown[] = [];
    const misconfigured: string[] = [];
    for (let at = 0; at < to.hosts.length; at += 1) {
      const index = (preferred + at) % to.hosts.length;
      const host = to.hosts[index];
      if (!host) continue;
      try {
        const session = await openSession(to, host, sessionOptions);
        preferred = index;
        open.add(session);
        for (const passedOver of misconfigured) onWarning(passedOver);
        return session;
      } catch (error) {
        errors.push(error);
        if (isMisconfiguration(error))
          misconfigured.push(`MySQL: ${host.host}:${host.port} is passed over: ${messageOf(error)}`);
      }
    }
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'no host can be reached that writes');
  }

  const open = new Set<Session>();
  const pool = new Pool<Session>({
    create,
    validate: isGood,
    destroy(session) {
      open.delete(session);
      session.destroy();
    },
    min: 0,
    max: poolSize,
    acquireTimeoutMillis: connectWithinMs,
    // The session has its own.
    createTimeoutMillis: 2 * connectWithinMs,
    idleTimeoutMillis: IDLE_MS,
    propagateCreateError: true,
  });
  let ended: Promise<unknown> | undefined;
  const kept = keptConnections<Session>(
    (session) => void pool.release(session),
    () => ended !== undefined || pool.numPendingAcquires() > 0,
  );
  observer.watchConnections(() => ({
    used: pool.numUsed() - kept.count,
    idle: pool.numFree() + kept.count,
    pending: pool.numPendingAcquires(),
    max: poolSize,
  }));

  async function acquire(): Promise<Session> {
    if (ended) throw new StoreUnavailable('the MySQL store is closed');
    for (let session = kept.take(); session; session = kept.take()) {
      if (isGood(session)) return session;
      pool.release(session);
    }
    try {
      return await pool.acquire().promise;
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw storeUnavailable(error);
      throw new StoreUnavailable(`MySQL: no connection within ${connectWithinMs} ms`, { cause: error });
    }
  }

  return {
    acquire,
    release: kept.keep,
    async use(statements) {
      const session = await acquire();
      try {
        return await statements(session);
      } finally {
        kept.keep(session);
      }
    },
    async end() {
      const cutOff = () => open.forEach((session) => void session.destroy());
      cutOff();
      kept.giveBack();
      ended ??= pool.destroy().finally(cutOff);
      await ended;
    },
  };
}

/** The pool does not lend others, and closes them. */
function isGood({ isUsable, openedAt }: Session): boolean {
  return isUsable && performance.now() - openedAt < LONGEST_USE_MS;
}

/** 5 min: a session that is never idle would otherwise not notice that a setting of its server has changed. */
const LONGEST_USE_MS = 300_000;

/** 10 s: a burst does not connect anew, and a quiet store gives its connections back. */
const IDLE_MS = 10_000;
