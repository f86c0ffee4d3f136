import { StoreUnavailable } from '@plant-store/domain';
import { Pool, TimeoutError } from 'tarn';
import type { CompleteServerOptions } from '../options.ts';
import type { serverErrors } from './errors.ts';

/** A session of a database server, on a connection of its own. */
export interface ServerSession {
  /** False once a failure has left the connection unusable. */
  readonly isUsable: boolean;
  /** Closes it at once, whatever runs on it. */
  destroy(): void;
}

/** What the adapter of a database server brings to have a pool. */
export interface PooledServer<Host, Session extends ServerSession> {
  /** What the server is called in messages: `PostgreSQL`. */
  readonly server: string;
  /** At least one. */
  readonly hosts: readonly Host[];
  /** The address of a host, for messages: `a:5432`. */
  nameOf(host: Host): string;
  /**
   * Connects, sets the session up and checks it.
   *
   * @param onLost to be called once if its connection is lost later.
   * @throws {Error} when the host must not be used.
   */
  open(host: Host, withinMs: number, onLost: (error: Error) => void): Promise<Session>;
  /** What is wrong if none of several hosts can be used. */
  readonly noHost: string;
  /** What its errors mean. */
  readonly errors: ReturnType<typeof serverErrors>;
}

/** The sessions of a store with one server, or with whichever of several can write. */
export interface ServerPool<Session> {
  /**
   * Runs statements on a session that nobody else uses until then.
   *
   * @throws {StoreUnavailable} when there is none within `connectWithinMs`; what the statements throw.
   */
  use<Result>(statements: (session: Session) => Promise<Result>): Promise<Result>;
  /** A session to keep until it is released. @throws {StoreUnavailable} as above. */
  acquire(): Promise<Lease<Session>>;
  /** Closes the sessions; what still runs is cut off. */
  end(): Promise<void>;
}

/** A session that nobody else has until it is released. */
export interface Lease<Session> {
  readonly session: Session;
  /** Once: a second call does nothing, whoever has the session by then. */
  release(): void;
}

/**
 * Opens none yet. With several hosts, a session goes to the one that the last one went to; when that must not be used, or
 * hangs, to the next one that may. An idle session that is lost, and a misconfigured host that is passed over, are reported.
 */
export function openServerPool<Host, Session extends ServerSession>(
  { poolSize, connectWithinMs, observer, onError, onWarning }: CompleteServerOptions,
  { server, hosts, nameOf, open, noHost, errors }: PooledServer<Host, Session>,
): ServerPool<Session> {
  // All hosts together may take as long as one.
  const withinMs = Math.max(1, Math.floor((connectWithinMs * OPENING_SHARE) / hosts.length));
  let preferred = 0;
  const opened = new Map<Session, { readonly host: Host; readonly at: number }>();
  /** Since when. */
  const lent = new Map<Session, number>();
  const kept: Session[] = [];
  let isKeeping = false;
  let isMoving = false;
  let ended: Promise<unknown> | undefined;

  async function openOn(host: Host): Promise<Session> {
    let session: Session | undefined;
    session = await open(host, withinMs, ({ message }) => {
      // Whoever has it learns by a statement.
      if (session && !lent.has(session)) onError(new Error(`idle connection to ${server} lost: ${message}`));
    });
    opened.set(session, { host, at: performance.now() });
    return session;
  }

  function destroy(session: Session): void {
    opened.delete(session);
    session.destroy();
  }

  /** The first host that may be used, from the preferred one on, with a session to it. */
  async function create(): Promise<Session> {
    const failures: (readonly [Host, unknown])[] = [];
    for (const host of [...hosts.slice(preferred), ...hosts.slice(0, preferred)]) {
      const session = await openOn(host).catch((error: unknown) => void failures.push([host, error]));
      if (!session) continue;
      preferred = hosts.indexOf(host);
      try {
        for (const [passedOver, error] of failures)
          if (errors.isMisconfiguration(error))
            onWarning(`${server}: ${nameOf(passedOver)} is passed over: ${errors.messageOf(error)}`);
      } catch (error) {
        destroy(session);
        throw error;
      }
      return session;
    }
    const all = failures.map(([, error]) => error);
    throw all.length === 1 ? all[0] : new AggregateError(all, noHost);
  }

  /**
   * Gives up hosts that hang: statements that never end would have every session until they are dropped, and nobody would
   * try the next host. Only for one that may be used; a table that is locked makes callers wait just as long. A host that has
   * given a session back meanwhile is only busy.
   *
   * @param since when somebody began to wait, in vain.
   */
  async function moveOn(since: number): Promise<void> {
    const stuck = [...lent];
    if (isMoving || hosts.length === 1 || stuck.some(([, at]) => at >= since)) return;
    isMoving = true;
    const hanging = new Set(stuck.map(([session]) => opened.get(session)?.host));
    for (const host of [...hosts.slice(preferred), ...hosts.slice(0, preferred)]) {
      const session = hanging.has(host) ? undefined : await openOn(host).catch(() => {});
      if (!session) continue;
      // Others are opened on it by the pool, which has no place for this one.
      destroy(session);
      preferred = hosts.indexOf(host);
      for (const [each, at] of stuck) if (lent.get(each) === at) each.destroy();
      break;
    }
    isMoving = false;
  }

  /** The pool does not lend others, and closes them. */
  function isGood(session: Session): boolean {
    return session.isUsable && performance.now() - (opened.get(session)?.at ?? 0) < LONGEST_USE_MS;
  }

  const pool = new Pool<Session>({
    create,
    validate: isGood,
    destroy,
    min: 0,
    max: poolSize,
    acquireTimeoutMillis: connectWithinMs,
    // Opening has its own.
    createTimeoutMillis: 2 * connectWithinMs,
    idleTimeoutMillis: IDLE_MS,
    propagateCreateError: true,
  });
  observer.watchConnections(() => ({
    used: pool.numUsed() - kept.length,
    idle: pool.numFree() + kept.length,
    pending: pool.numPendingAcquires(),
    max: poolSize,
  }));

  async function fromPool(): Promise<Session> {
    const since = performance.now();
    try {
      if (!ended) return await pool.acquire().promise;
    } catch (error) {
      if (error instanceof TimeoutError) {
        void moveOn(since);
        throw new StoreUnavailable(`${server}: no connection within ${connectWithinMs} ms`, { cause: error });
      }
      if (!ended) throw errors.storeUnavailable(error);
    }
    throw new StoreUnavailable(`the ${server} store is closed`);
  }

  /** The one that was kept last. */
  function takeKept(): Session | undefined {
    for (let session = kept.pop(); session; session = kept.pop()) {
      if (isGood(session)) return session;
      pool.release(session);
    }
    return undefined;
  }

  /**
   * Keeps a session up to a second for whoever needs one next: a pool's own part in an add, with its timers and listeners, is
   * a fifth of its CPU. Whoever wants idle connections closed does not wait much longer, and under load the pool sees one a
   * second. If somebody waits for the pool, which knows who, it goes back at once.
   */
  function release(session: Session): void {
    lent.delete(session);
    if (ended || pool.numPendingAcquires() > 0) {
      pool.release(session);
      return;
    }
    kept.push(session);
    if (isKeeping) return;
    isKeeping = true;
    setTimeout(() => {
      isKeeping = false;
      giveBack();
    }, KEEP_MS).unref();
  }

  function giveBack(): void {
    for (const session of kept.splice(0)) pool.release(session);
  }

  function lend(session: Session): Session {
    lent.set(session, performance.now());
    return session;
  }

  return {
    async use(statements) {
      // Not through `acquire`: where a session is kept, there is nothing to wait for.
      const session = lend(takeKept() ?? (await fromPool()));
      try {
        return await statements(session);
      } finally {
        release(session);
      }
    },
    async acquire() {
      const session = lend(takeKept() ?? (await fromPool()));
      let isReleased = false;
      return {
        session,
        release() {
          if (!isReleased) release(session);
          isReleased = true;
        },
      };
    },
    async end() {
      const cutOff = () => opened.forEach((_, session) => void session.destroy());
      cutOff();
      giveBack();
      ended ??= pool.destroy().finally(cutOff);
      await ended;
    },
  };
}

/** 1 s: see `release`. */
const KEEP_MS = 1_000;

/** Nine tenths of the wait for a connection: where opening one takes too long, its own error says more, and comes first. */
const OPENING_SHARE = 0.9;

/** 5 min: a session that is never idle would otherwise not notice that a setting of its server has changed. */
const LONGEST_USE_MS = 300_000;

/** 10 s: a burst does not connect anew, and a quiet store gives its connections back. */
const IDLE_MS = 10_000;
