import { isUtf8 } from 'node:buffer';
import { RequestFailure } from '../../errors/http-error.ts';
import { parseInteger } from './json-integer.ts';
import { findTopLevelNumber } from './json-number-literal.ts';

/**
 * A number literal that a JavaScript number may not hold exactly: 16 digits or more, a fraction, or an exponent. Where
 * nothing in the text looks like one, every number in it is an integer of at most 15 digits, which JSON.parse keeps.
 * Text inside strings may match as well; that costs a second look and nothing else.
 */
const inexactNumber = /\d{16}|\d(?:\.\d|[eE][-+\d])/;

/**
 * Parses a request body as a JSON text (RFC 8259), with the number at the top-level member `id` exact: a bigint where
 * its value is an integer, however it is written. All other values are as JSON.parse makes them. Where a member name
 * stands twice, the last one counts.
 *
 * @throws {RequestFailure} `malformed-json` when the bytes are not valid UTF-8 or not a JSON text.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new RequestFailure('malformed-json', 'the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new RequestFailure('malformed-json', 'the body is not a JSON text');
  }
  if (hasId(body) && typeof body.id === 'number') body.id = exactId(text, body.id);
  return body;
}

function exactId(text: string, id: number): number | bigint {
  if (!inexactNumber.test(text)) return BigInt(id);
  const literal = findTopLevelNumber(text, 'id');
  return (literal === undefined ? undefined : parseInteger(literal, 19)) ?? id;
}

function hasId(body: unknown): body is { id: unknown } {
  return typeof body === 'object' && body !== null && 'id' in body;
}
