import { isUtf8 } from 'node:buffer';
import { InvalidJson } from './faults.ts';
import { exactIntegerAt } from './json-number.ts';

/**
 * A number literal that a JavaScript number may not hold exactly: 16 digits or more, a fraction, or an exponent. If nothing
 * in the text looks like one, every number in it is an integer of at most 15 digits, which JSON.parse keeps. Text inside
 * strings may match as well; that costs a second look and nothing else.
 */
const inexactNumber = /\d{16}|\d(?:\.\d|[eE][-+\d])/;

/** Up to this many bytes, it takes next to no time to parse any text. */
const SIMPLE_BYTES = 16_384;

/** How deep a larger text may be nested, and how many brackets and commas it may have; a NewPlant has one and two. */
const [MAX_DEPTH, MAX_VALUES] = [64, 10_000];

/**
 * Parses JSON text (RFC 8259), with the number at the top-level member `id` exact: a bigint if its value
 * is an integer, however it is written. All other values are as JSON.parse makes them. If a member name occurs twice, the
 * last one counts.
 *
 * @throws {InvalidJson} if the bytes are not valid UTF-8 or not JSON text, or too complex (RFC 8259 section 9).
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidJson('not valid UTF-8');
  if (bytes.length > SIMPLE_BYTES && isComplex(bytes)) {
    const limits = `${MAX_DEPTH} levels of nesting and ${MAX_VALUES} values if it is larger than ${SIMPLE_BYTES} bytes`;
    throw new InvalidJson(`too complex: at most ${limits}`);
  }
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidJson('not valid JSON');
  }
  if (hasId(value) && typeof value.id === 'number') value.id = exactId(text, value.id);
  return value;
}

function exactId(text: string, id: number): number | bigint {
  if (!inexactNumber.test(text)) return BigInt(id);
  return exactIntegerAt(text, 'id', 19) ?? id;
}

function hasId(value: unknown): value is { id: unknown } {
  return typeof value === 'object' && value !== null && 'id' in value;
}

/**
 * Whether JSON.parse might take long: a tenth of a second for a megabyte of small objects, which then take twenty times as
 * much memory. What is in strings does not count. What is not JSON text may have any result.
 */
function isComplex(bytes: Buffer): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH || values > MAX_VALUES) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        if (values > MAX_VALUES) return true;
        break;
    }
  }
  return false;
}

/** The index of the closing quote of the string that starts at `start`, or of the end. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

const [QUOTE, BACKSLASH, OPEN_BRACKET, OPEN_BRACE, CLOSE_BRACKET, CLOSE_BRACE, COMMA] = Buffer.from('"\\[{]},');
