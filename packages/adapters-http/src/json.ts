import { isUtf8 } from 'node:buffer';

/** The bytes are not valid JSON. The message completes «the body is …», for example `not valid JSON: column 9`. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson';
}

/** Matches numbers that a JavaScript number may not hold exactly. Without one, the search for the text of the id is skipped. */
const inexactNumber = /\d{16}|\d(?:\.\d|e[-+\d])/i;

/** Parses JSON in UTF-8 like {@link parseJsonText}. @throws {InvalidJson} if the bytes are not UTF-8 or not JSON. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidJson('not valid UTF-8');
  return parseJsonText(bytes.toString());
}

/**
 * Parses JSON (RFC 8259) strictly. The member `id` of an object becomes an exact bigint if its value is an integer of
 * at most 100 digits, in any notation. Everything else is parsed as JSON.parse does: the last of duplicate members wins.
 *
 * @throws {InvalidJson} if the text is not JSON.
 */
export function parseJsonText(text: string): unknown {
  let value: { id?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidJson(`not valid JSON${errorPosition(text)}`);
  }
  if (typeof value?.id === 'number')
    value.id = inexactNumber.test(text) ? (exactInteger(sourceOfId(text)) ?? value.id) : BigInt(value.id);
  return value;
}

/**
 * The source text of the member `id` in the text of a valid JSON object; the last one, if there are several. A reviver of
 * JSON.parse gets source texts, too, but takes 20 ms for 64 KiB of numbers.
 */
function sourceOfId(text: string): string {
  // If `"id"` occurs once and nothing is escaped, it is the member's name.
  const only = text.indexOf('"id"');
  if (text.lastIndexOf('"id"') === only && !text.includes('\\')) return numberAfter(text, only + '"id"'.length);
  let source = '';
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const start = at;
      at = endOfString(text, at);
      if (depth > 1) continue;
      const number = numberAfter(text, at + 1);
      if (number !== '' && JSON.parse(text.slice(start, at + 1)) === 'id') source = number;
    }
  }
  return source;
}

/** The index of the closing quotation mark of a string. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The number after the name of a member, empty if its value is none. */
function numberAfter(text: string, at: number): string {
  valueAfterName.lastIndex = at;
  return valueAfterName.exec(text)?.[1] ?? '';
}

const valueAfterName = /\s*:\s*([-+.\deE]*)/y;

/** 7, 7.0, 70e-1 and 7e0 are the same integer (JSON Schema draft 2020-12, section 6.1.1). An int64 has at most 19 digits. */
const MAX_DIGITS = 100;
const numberSyntax = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The integer that a literal of a number denotes in any notation; undefined if it is none of at most 100 digits. */
export function exactInteger(literal: string): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = numberSyntax.exec(literal) ?? [];
  if (whole === undefined || whole.length + fraction.length > MAX_DIGITS) return undefined;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length;
  if (digits === 0n || Math.abs(shift) > MAX_DIGITS) return digits === 0n ? digits : undefined;
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return digits * power;
  return digits % power === 0n ? digits / power : undefined;
}

/** Errors in longer texts have no position: the search would take 35 ms for 64 KiB. */
const MAX_SEARCH_LENGTH = 8_192;

/** The position of the first syntax error. V8's messages often have none, so this is a binary search over prefixes. */
function errorPosition(text: string): string {
  if (text.length > MAX_SEARCH_LENGTH) return '';
  let validLength = 0;
  let invalidLength = text.length + 1;
  while (invalidLength - validLength > 1) {
    const middle = (validLength + invalidLength) >> 1;
    if (isValidPrefix(text.slice(0, middle))) validLength = middle;
    else invalidLength = middle;
  }
  if (validLength === text.length) return ': it ends too early';
  const lines = text.slice(0, validLength).split('\n');
  return `: ${lines.length > 1 ? `line ${lines.length}, ` : ''}column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Whether a text is JSON or could be completed to JSON. */
function isValidPrefix(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position === undefined ? message.includes('end of JSON input') : Number(position) >= text.length;
  }
}
