import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The header that carries the ID of a request, in the request and in its response. */
export const requestIdHeader = 'x-request-id';

/**
 * The IDs that a client may choose: 1 to 128 characters that need no escape in a log, a URL or a header. UUIDs, ULIDs, the
 * IDs of the usual proxies and base64 are among them.
 */
const syntax = /^[\w.~:/+=@-]{1,128}$/;

/** The client's `X-Request-Id` if it is a valid one, else a new ID. */
export function requestIdFrom({ [requestIdHeader]: given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && syntax.test(given) ? given : newRequestId();
}

/**
 * A new ID, unique across processes: 72 random bits for this process, and a counter. It is shorter than a UUID and faster
 * to make: every request writes it twice, into the response and into the log.
 */
export function newRequestId(): string {
  count += 1;
  return `${process}-${count.toString(36)}`;
}

const process = randomBytes(9).toString('base64url');
let count = 0;
