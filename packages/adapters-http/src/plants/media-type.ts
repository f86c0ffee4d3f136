import type { IncomingHttpHeaders } from 'node:http';
import { RequestFailure } from '../errors/http-error.ts';

/**
 * `application/json`, with `charset=utf-8` at most (RFC 9110 section 8.3; names and charsets in any case). No white space
 * can be matched in two ways, so that a long value takes time proportional to its length.
 */
const jsonInUtf8 = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i;

/**
 * Sees to it that the body is declared as JSON in UTF-8, as it is.
 *
 * @throws {RequestFailure} `unsupported-media-type`.
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== 'application/json' && !jsonInUtf8.test(type ?? '')) {
    throw new RequestFailure('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new RequestFailure('unsupported-media-type', 'send the body as it is, without Content-Encoding');
  }
}
