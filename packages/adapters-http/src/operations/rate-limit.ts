import { HttpError } from '@plant-store/http-edge';

/** How long requests are counted, in milliseconds. */
const WINDOW_MS = 1_000;

/**
 * Limits how many requests a second each client may send. A client is the subject of its token, so a stranger cannot use
 * up another's share. Every process counts separately.
 *
 * @returns what throws `too-many-requests`, with `Retry-After`.
 */
export function limitRate(perSecond: number): (subject: string) => void {
  // A second at a time: what is kept is bounded by the requests of one.
  const counts = new Map<string, number>();
  let end = 0;
  return (subject) => {
    const now = performance.now();
    if (now >= end) {
      counts.clear();
      end = now + WINDOW_MS;
    }
    const count = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, count);
    if (count > perSecond) throw rateLimitExceeded(perSecond);
  };
}

export function rateLimitExceeded(perSecond: number): HttpError {
  const message = `rate limit exceeded: at most ${perSecond} requests a second with this token`;
  return new HttpError('too-many-requests', message, { 'retry-after': String(WINDOW_MS / 1_000) });
}
