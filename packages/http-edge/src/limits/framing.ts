import type { IncomingMessage } from 'node:http';
import { edgeError } from '../errors/http-error.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Header fields that must not be repeated. Node silently keeps the first one; a proxy may have read the last. */
const singletons = ['host', 'authorization', 'content-type'] as const;

/** `Host = uri-host [ ":" port ]` (RFC 9110 section 7.2). The host may be empty; what it names does not matter. */
const hostSyntax = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

/**
 * Refuses what Node's HTTP parser accepts although another parser on the way may have read it differently.
 *
 * @throws {HttpError} `malformed-http`.
 */
export function refuseAmbiguousFraming({ request, connection }: Exchange): void {
  const fault = faultOf(request);
  if (fault === undefined) return;
  connection.closeAfterResponse = true;
  throw edgeError('malformed-http', fault, { connection: 'close' });
}

function faultOf({ httpVersionMajor, httpVersion, url, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'use HTTP/1.1';
  if (url?.includes('#')) return 'send the request target without a fragment (RFC 9112, section 3.2)';
  if (headers.host === undefined && httpVersion === '1.1') return 'send a Host header (RFC 9112, section 3.2)';
  if (!hostSyntax.test(headers.host ?? '')) return 'invalid Host header: expected a host and an optional port';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')) {
    return 'unsupported Transfer-Encoding: only chunked, in HTTP/1.1, is supported';
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    return 'unsupported expectation: only 100-continue is supported';
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
