import type { Reply } from './send.ts';

/** The number of a request that did not arrive in time. */
const LATE_REQUEST = 40007;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** The milliseconds to wait before the request is repeated after these replies; undefined if that may not help. */
export function pauseAfter(replies: readonly Reply[]): number | undefined {
  const { status, record, headers } = replies.at(-1) ?? { record: {} };
  const isTemporary = status === undefined || isTemporaryStatus(status) || record.error === LATE_REQUEST;
  // A defect may be gone, but not if it comes twice.
  const isFirstDefect = status === 500 && replies.filter((reply) => reply.status === 500).length === 1;
  if (!isTemporary && !isFirstDefect) return undefined;
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (replies.length - 1));
  // Random, so that clients that failed together do not return together.
  return toMilliseconds(headers?.get('retry-after') ?? '0') + Math.random() * longest;
}

/** 520 to 530 are Cloudflare's, for an origin that does not respond. */
function isTemporaryStatus(status: number): boolean {
  return [429, 502, 503, 504].includes(status) || (status >= 520 && status <= 530);
}

/** Retry-After is a number of seconds or a date (RFC 9110 section 10.2.3). */
function toMilliseconds(retryAfter: string): number {
  const seconds = Number(retryAfter);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
  return Math.max(0, milliseconds || 0);
}

/** Waits for the time, and no longer than until the work settles, whose result it has, or the signal aborts. */
export async function wait<T>(ms: number, signal?: AbortSignal, work?: T | Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  // A longer timer would end at once.
  const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
  signal?.addEventListener('abort', end);
  if (signal?.aborted) end();
  try {
    return await Promise.race([work ?? promise, promise]);
  } finally {
    signal?.removeEventListener('abort', end);
    clearTimeout(timer);
  }
}
