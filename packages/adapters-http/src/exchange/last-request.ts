import type { Duplex } from 'node:stream';

const ended = new WeakSet<Duplex>();

/**
 * Makes the request that is being looked at the last one of its connection. It is answered with `Connection: close`;
 * what follows it is never looked at (RFC 9112, section 9.6), since it may be part of a body that was misread.
 */
export function endAfterThisRequest(connection: Duplex): void {
  ended.add(connection);
}

/** Whether an earlier request was the last one of this connection. */
export function isBehindTheLastRequest(connection: Duplex): boolean {
  return ended.has(connection);
}
