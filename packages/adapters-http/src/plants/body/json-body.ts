import { isUtf8 } from 'node:buffer';
import { HttpError } from '../../errors/http-error.ts';
import { exactIntegerAt } from './json-number.ts';

/**
 * A number literal that a JavaScript number may not hold exactly: 16 digits or more, a fraction, or an exponent. If nothing
 * in the text looks like one, every number in it is an integer of at most 15 digits, which JSON.parse keeps. Text inside
 * strings may match as well; that costs a second look and nothing else.
 */
const inexactNumber = /\d{16}|\d(?:\.\d|[eE][-+\d])/;

/**
 * Parses a request body as JSON text (RFC 8259), with the number at the top-level member `id` exact: a bigint if its value
 * is an integer, however it is written. All other values are as JSON.parse makes them. If a member name occurs twice, the
 * last one counts.
 *
 * @throws {HttpError} `malformed-json` if the bytes are not valid UTF-8 or not JSON text.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new HttpError('malformed-json', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpError('malformed-json', 'the body is not valid JSON');
  }
  if (hasId(body) && typeof body.id === 'number') body.id = exactId(text, body.id);
  return body;
}

function exactId(text: string, id: number): number | bigint {
  if (!inexactNumber.test(text)) return BigInt(id);
  return exactIntegerAt(text, 'id', 19) ?? id;
}

function hasId(body: unknown): body is { id: unknown } {
  return typeof body === 'object' && body !== null && 'id' in body;
}
