/**
 * A session of the server, such as `pid 7`, or something else that holds locks, and named attributes such as its user. A column is null
 * if it is not visible.
 */
export type SessionRow = { readonly session: string | null } & { readonly [column: string]: string | null };

/** What blocks adds. Without a session, it is not a lock. */
export type Blocker = SessionRow & {
  /** What commits wait for, such as `a synchronous standby`. */
  readonly waitsFor?: string | null;
};

/** Finds what blocks adds, while they wait. */
export interface LockHolder {
  /** Waits for the work, and refreshes if it takes longer than half of the time until its deadline. */
  watch<T>(work: Promise<T>, deadline: number): Promise<T>;
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
    async watch(work, deadline) {
      // Late enough for the holder to be the oldest session, early enough to be known when adds time out.
      const timer = query && setTimeout(() => void refresh(), Math.max(1, (deadline - performance.now()) / 2)).unref();
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

/** Describes a session for messages; undefined if it is not visible. */
export function describeSession({ session, ...names }: SessionRow = { session: null }): string | undefined {
  if (session === null) return undefined;
  const named = Object.entries(names).map(([what, name]) => (name === null ? '' : `, ${what} ${JSON.stringify(name)}`));
  return escaped(`${session}${named.join('')}`);
}

/** Escapes other characters than those of ASCII, because other programs chose the names, which go to logs and terminals. */
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
