import { isUtf8 } from 'node:buffer';

/** The bytes are not a JSON text. The message is what follows «the body is»: `not valid JSON: column 9`. */
export class InvalidJson extends Error {
  override readonly name = 'InvalidJson';
}

/** What a JavaScript number may not hold. Without it no reviver is needed, which costs a twentieth of a request. */
const inexactNumber = /\d{16}|\d(?:\.\d|e[-+\d])/i;

/**
 * Parses JSON text in UTF-8 (RFC 8259), strictly. A number at a member `id` is a bigint, exact to its last digit, if its value
 * is an integer of at most 100 digits, however it is written. All else is as JSON.parse makes it: of a repeated member the
 * last one counts.
 *
 * @throws {InvalidJson} if the bytes are not UTF-8 or not JSON text, or nested so deeply that it cannot be read.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new InvalidJson('not valid UTF-8');
  const text = bytes.toString();
  try {
    if (inexactNumber.test(text)) return JSON.parse(text, exactId as (key: string, value: unknown) => unknown);
    const value = JSON.parse(text);
    if (typeof value?.id === 'number') value.id = BigInt(value.id);
    return value;
  } catch (error) {
    throw new InvalidJson(error instanceof SyntaxError ? `not valid JSON${faultIn(text)}` : 'nested too deeply');
  }
}

/** 7, 7.0, 70e-1 and 7e0 are the same integer (JSON Schema draft 2020-12, section 6.1.1). An int64 has at most 19 digits. */
const MAX_DIGITS = 100;
const number = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** A reviver. TypeScript's library does not know its context yet. */
function exactId(key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  if (key !== 'id' || typeof value !== 'number') return value;
  const [, whole = '', fraction = '', exponent = '0'] = number.exec(source) ?? [];
  if (whole.length + fraction.length > MAX_DIGITS) return value;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length;
  if (digits === 0n || Math.abs(shift) > MAX_DIGITS) return digits === 0n ? digits : value;
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return digits * power;
  return digits % power === 0n ? digits / power : value;
}

/** Of longer texts nobody looks for the fault: 64 KiB would take 35 ms. */
const MAX_SEARCHED = 8_192;

/** Where a text stops being JSON. V8 often says only which character it did not expect, so that is searched by halves. */
function faultIn(text: string): string {
  if (text.length > MAX_SEARCHED) return '';
  let begins = 0;
  let fails = text.length + 1;
  while (fails - begins > 1) {
    const middle = (begins + fails) >> 1;
    if (isBeginning(text.slice(0, middle))) begins = middle;
    else fails = middle;
  }
  if (begins === text.length) return ': it ends too early';
  const lines = text.slice(0, begins).split('\n');
  return `: ${lines.length > 1 ? `line ${lines.length}, ` : ''}column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Whether a JSON text can begin so: it is one, or its only fault is that it ends. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position === undefined ? message.includes('end of JSON input') : Number(position) >= text.length;
  }
}
