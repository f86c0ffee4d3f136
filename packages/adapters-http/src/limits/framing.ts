import type { IncomingMessage } from 'node:http';
import { RequestFailure } from '../errors/http-error.ts';
import { endAfterThisRequest } from '../exchange/last-request.ts';

/** Header fields that may stand once only. Node keeps the first one in silence; a proxy may have read the last. */
const singletons = ['host', 'authorization', 'content-type'] as const;

/** `Host = uri-host [ ":" port ]` (RFC 9110 section 7.2), of which the host may be empty; what it names does not matter. */
const hostSyntax = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Refuses what Node's HTTP parser lets pass although another parser on the way may have read it differently.
 *
 * @throws {RequestFailure} `malformed-http`.
 */
export function refuseAmbiguousFraming(request: IncomingMessage): void {
  const fault = faultOf(request);
  if (fault === undefined) return;
  endAfterThisRequest(request.socket);
  throw new RequestFailure('malformed-http', fault, { connection: 'close' });
}

function faultOf({ httpVersionMajor, httpVersion, url, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'speak HTTP/1.1';
  if (url?.includes('#')) return 'send the request target without a fragment (RFC 9112, section 3.2)';
  if (headers.host === undefined && httpVersion === '1.1') return 'send a Host header (RFC 9112, section 3.2)';
  if (!hostSyntax.test(headers.host ?? '')) return 'send a Host header with a host and, if need be, a port';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')) {
    return 'the only Transfer-Encoding understood is chunked, in HTTP/1.1';
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return 'the only expectation that can be met is 100-continue';
  }
  const repeated = singletons.find((name) => headers[name] !== undefined && occurrences(rawHeaders, name) > 1);
  return repeated && `send one ${repeated} header, not several`;
}

function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count += 1;
  }
  return count;
}
