import { type SessionRow, sessionIn } from './other-session.ts';

/** Finds out who keeps plants waiting, while they wait. */
export interface LockHolder {
  /** Asks if the work takes long. */
  watch<T>(work: Promise<T>): Promise<T>;
  /** Asks now, unless it has asked a moment ago. @returns whether it has asked, and nobody was to be seen. */
  ask(): Promise<boolean>;
  /** Who that was, for messages; undefined if it was not to be seen, or has not been asked for some time. */
  found(): string | undefined;
}

/** @param read what the server says of the session that has held locks on the table for longest; it may fail. */
export function lockHolder(read: (() => Promise<SessionRow | undefined>) | undefined, timeoutMs: number): LockHolder {
  let holder: string | undefined;
  let askedAt = -Infinity;

  async function ask(): Promise<boolean> {
    if (!read || performance.now() - askedAt < ASK_EVERY_MS) return false;
    askedAt = performance.now();
    holder = undefined;
    holder = sessionIn(await read().catch(() => undefined));
    return holder === undefined;
  }

  return {
    ask,
    async watch(work) {
      // Late enough for the holder to be the oldest, early enough for the answer to be there when plants give up.
      const timer = read && setTimeout(() => void ask(), timeoutMs / 2).unref();
      try {
        return await work;
      } finally {
        clearTimeout(timer);
      }
    },
    found: () => (performance.now() - askedAt < 2 * timeoutMs ? holder : undefined),
  };
}

/** 1 s: those who wait for one lock ask once. */
const ASK_EVERY_MS = 1_000;
