import { StoreUnavailable } from '@plant-store/domain';
import { Pool, TimeoutError } from 'tarn';
import type { CompleteServerOptions } from '../options.ts';

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
  /** Connects, sets the session up and checks it. @throws {Error} when the host must not be used. */
  open(host: Host, withinMs: number): Promise<Session>;
  /** What is wrong if none of several hosts can be used. */
  readonly noHost: string;
  /** Called with a host that must not be used, and why, once another one is. */
  onPassedOver?(host: Host, error: unknown): void;
  /** What to throw for an error of a connection. */
  storeUnavailable(error: unknown): StoreUnavailable;
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
  acquire(): Promise<Session>;
  release(session: Session): void;
  /** Closes the sessions; what still runs is cut off. */
  end(): Promise<void>;
}

/**
 * Opens none yet. With several hosts, a session goes to the one that the last one went to; when that must not be used, to
 * the next one that may.
 */
export function openServerPool<Host, Session extends ServerSession>(
  { poolSize, connectWithinMs, observer }: CompleteServerOptions,
  { server, hosts, open, noHost, onPassedOver = () => {}, storeUnavailable }: PooledServer<Host, Session>,
): ServerPool<Session> {
  // All hosts together may take as long as one.
  const withinMs = Math.max(1, Math.floor(connectWithinMs / hosts.length));
  let preferred = 0;
  /** By `performance.now()`. */
  const openedAt = new Map<Session, number>();
  const kept: Session[] = [];
  let isKeeping = false;
  let ended: Promise<unknown> | undefined;

  async function create(): Promise<Session> {
    const failures: (readonly [Host, unknown])[] = [];
    for (const host of [...hosts.slice(preferred), ...hosts.slice(0, preferred)]) {
      try {
        const session = await open(host, withinMs);
        preferred = hosts.indexOf(host);
        openedAt.set(session, performance.now());
        for (const failure of failures) onPassedOver(...failure);
        return session;
      } catch (error) {
        failures.push([host, error]);
      }
    }
    const errors = failures.map(([, error]) => error);
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, noHost);
  }

  /** The pool does not lend others, and closes them. */
  function isGood(session: Session): boolean {
    return session.isUsable && performance.now() - (openedAt.get(session) ?? 0) < LONGEST_USE_MS;
  }

  const pool = new Pool<Session>({
    create,
    validate: isGood,
    destroy(session) {
      openedAt.delete(session);
      session.destroy();
    },
    min: 0,
    max: poolSize,
    acquireTimeoutMillis: connectWithinMs + SLACK_MS,
    // Opening has its own.
    createTimeoutMillis: 2 * connectWithinMs + SLACK_MS,
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
    try {
      if (!ended) return await pool.acquire().promise;
    } catch (error) {
      if (error instanceof TimeoutError)
        throw new StoreUnavailable(`${server}: no connection within ${connectWithinMs} ms`, { cause: error });
      if (!ended) throw storeUnavailable(error);
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
   * second. If somebody waits for the pool, which knows who, it goes back at once. One that is kept already stays once.
   */
  function release(session: Session): void {
    if (ended || pool.numPendingAcquires() > 0) {
      pool.release(session);
      return;
    }
    if (!kept.includes(session)) kept.push(session);
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

  return {
    async use(statements) {
      // Not through `acquire`: where a session is kept, there is nothing to wait for.
      const session = takeKept() ?? (await fromPool());
      try {
        return await statements(session);
      } finally {
        release(session);
      }
    },
    acquire: async () => takeKept() ?? fromPool(),
    release,
    async end() {
      const cutOff = () => openedAt.forEach((_, session) => void session.destroy());
      cutOff();
      giveBack();
      ended ??= pool.destroy().finally(cutOff);
      await ended;
    },
  };
}

/** 1 s: see `release`. */
const KEEP_MS = 1_000;

/** 200 ms: where connecting takes too long, its own error says more, even on a busy machine. */
const SLACK_MS = 200;

/** 5 min: a session that is never idle would otherwise not notice that a setting of its server has changed. */
const LONGEST_USE_MS = 300_000;

/** 10 s: a burst does not connect anew, and a quiet store gives its connections back. */
const IDLE_MS = 10_000;
