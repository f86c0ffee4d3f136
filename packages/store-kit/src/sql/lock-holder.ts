import { describeSession, type SessionRow } from './describe-session.ts';

/** What blocks adds. Without a session, it is not a lock. */
export type Blocker = SessionRow & {
  /** What commits wait for, such as `a synchronous standby`. */
  readonly waitsFor?: string | null;
};

/** Finds what blocks adds, while they wait. */
export interface LockHolder {
  /** Runs the work, and refreshes if it takes longer than half of the timeout. */
  watch<T>(work: Promise<T>): Promise<T>;
  /** Queries the server, at most once per {@link REFRESH_MS}, and waits for a query in flight. @returns whether it queried and found no session. */
  refresh(): Promise<boolean>;
  /** Describes the session that was found within the last two timeouts; otherwise undefined. */
  readonly lockedBy: () => string | undefined;
  /** What commits were found to wait for within the last two timeouts; otherwise undefined. */
  readonly waitsFor: () => string | undefined;
}

/** @param query finds the session that has held locks on the table longest. It may fail. */
export function lockHolder(query: (() => Promise<Blocker | undefined>) | undefined, timeoutMs: number): LockHolder {
  let holder: string | undefined;
  let awaited: string | undefined;
  let queriedAt = -Infinity;
  let queried = Promise.resolve();

  async function refresh(): Promise<boolean> {
    const isDue = query !== undefined && performance.now() - queriedAt >= REFRESH_MS;
    if (isDue) queried = find(query);
    await queried;
    return isDue && holder === undefined;
  }

  async function find(query: () => Promise<Blocker | undefined>): Promise<void> {
    queriedAt = performance.now();
    holder = awaited = undefined;
    const { waitsFor, ...session } = (await query().catch(() => undefined)) ?? { session: null };
    holder = describeSession(session);
    awaited = waitsFor ?? undefined;
  }
  const isCurrent = () => performance.now() - queriedAt < 2 * timeoutMs;

  return {
    refresh,
    async watch(work) {
      // Late enough for the holder to be the oldest session, early enough to be known when adds time out.
      const timer = query && setTimeout(() => void refresh(), timeoutMs / 2).unref();
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
    lockedBy: () => (isCurrent() ? holder : undefined),
    waitsFor: () => (isCurrent() ? awaited : undefined),
  };
}

/** 1 s: adds that wait for the same lock share one query. */
const REFRESH_MS = 1_000;
