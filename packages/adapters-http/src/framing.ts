import type { IncomingMessage } from 'node:http';
import { RequestFailure } from './request-failure.ts';

/** Header fields that may stand once only. Node keeps the first one in silence; a proxy may have read the last. */
const singletons = ['host', 'authorization', 'content-type'] as const;

/**
 * Refuses what Node's HTTP parser lets pass although another parser on the way may have read it differently.
 *
 * @throws {RequestFailure} `malformed-http`.
 */
export function refuseAmbiguousFraming({ httpVersionMajor, httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1) malformed('speak HTTP/1.1');
  if (headers.host === undefined && httpVersion === '1.1') malformed('send a Host header (RFC 9112, section 3.2)');
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked')) {
    malformed('the only Transfer-Encoding understood is chunked, in HTTP/1.1');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    malformed('the only expectation that can be met is 100-continue');
  }
  for (const name of singletons) {
    if (headers[name] !== undefined && occurrences(rawHeaders, name) > 1)
      malformed(`send one ${name} header, not several`);
  }
}

function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at];
    if (candidate?.length === name.length && candidate.toLowerCase() === name) count += 1;
  }
  return count;
}

function malformed(message: string): never {
  throw new RequestFailure('malformed-http', message);
}
