import type { IncomingHttpHeaders } from 'node:http';
import { edgeError } from '../errors/http-error.ts';

/**
 * `application/json`, with `charset=utf-8` at most (RFC 9110 section 8.3; names and charsets in any case). No white space
 * can be matched in two ways, so a long value takes time proportional to its length.
 */
const jsonInUtf8 = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-8|"utf-8")[ \t]*)?)*$/i;

/**
 * Requires that the body is declared as JSON in UTF-8, without a content coding.
 *
 * @throws {HttpError} `unsupported-media-type`.
 */
export function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  if (type !== 'application/json' && !jsonInUtf8.test(type ?? '')) {
    throw edgeError('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw edgeError('unsupported-media-type', 'send the body without Content-Encoding');
  }
}
