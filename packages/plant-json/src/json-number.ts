/**
 * The exact value of the number at a top-level member of a JSON object, which JSON.parse may have rounded.
 *
 * @param text JSON text that JSON.parse accepts.
 * @param maxDigits the maximum number of decimal digits of the value.
 * @returns undefined if the last such member is not an integer, or has more digits.
 */
export function exactIntegerAt(text: string, member: string, maxDigits: number): bigint | undefined {
  const digits = digitsOfFirst(text, member);
  if (digits !== undefined) return digits.replace('-', '').length > maxDigits ? undefined : BigInt(digits);
  const literal = findTopLevelNumber(text, member);
  return literal === undefined ? undefined : parseInteger(literal, maxDigits);
}

/**
 * How the number at a member is written if it is the text's first member, as it usually is, has neither a fraction nor an
 * exponent, and if the member's name is nowhere else in the text. A fourth of the time that looking through the text takes.
 */
function digitsOfFirst(text: string, member: string): string | undefined {
  const [, name, digits] = firstMember.exec(text) ?? [];
  if (name !== member) return undefined;
  const quoted = `"${member}"`;
  // With an escape, a name may be written in another way.
  return text.indexOf(quoted) === text.lastIndexOf(quoted) && !text.includes('\\') ? digits : undefined;
}

const firstMember = /^[ \t\n\r]*\{[ \t\n\r]*"([^"\\]*)"[ \t\n\r]*:[ \t\n\r]*(-?\d+)[ \t\n\r]*[,}]/;

/**
 * Finds how the number at a top-level member of a JSON object is written. JSON.parse gives the value only, and the
 * `source` that it hands to a reviver costs a call for every value in the text and a stack as deep as the text is nested.
 *
 * @param text JSON text that JSON.parse accepts. It is read once.
 * @returns the literal, such as `9007199254740993` or `7.0`; undefined if the last such member is not a number.
 */
function findTopLevelNumber(text: string, member: string): string | undefined {
  let literal: string | undefined;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        break;
      case '"': {
        let end = endOfString(text, at);
        if (depth === 1) {
          // Only a member's name is followed by a colon.
          afterName.lastIndex = end;
          const value = afterName.exec(text);
          if (value) {
            if (JSON.parse(text.slice(at, end)) === member) literal = value[1];
            // A number is not looked through: it may be most of the text.
            end = afterName.lastIndex;
          }
        }
        at = end - 1;
        break;
      }
    }
  }
  return literal;
}

const afterName = /[ \t\n\r]*:[ \t\n\r]*(-?\d[\d.eE+-]*)?/y;

/** The index behind the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * The exact value of a JSON number literal if that is an integer: `7`, `7.0`, `70e-1` and `7e0` are all 7, as JSON
 * Schema has it (draft 2020-12, section 6.1.1). Takes time proportional to the length of the literal, whatever its value.
 *
 * @param literal a number as RFC 8259 section 6 writes it.
 * @param maxDigits how many decimal digits the value may have.
 * @returns undefined if the value is not an integer, or has more digits than that.
 */
function parseInteger(literal: string, maxDigits: number): bigint | undefined {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');

  const digits = whole + fraction;
  const first = skipZeros(digits, 0, 1);
  if (first === digits.length) return 0n;
  const last = skipZeros(digits, digits.length - 1, -1);

  // The value is the significant digits, shifted by a power of ten.
  const shift = Number(exponent) - fraction.length + (digits.length - 1 - last);
  const length = last + 1 - first + shift;
  if (shift < 0 || length > maxDigits) return undefined;
  const value = BigInt(digits.slice(first, last + 1)) * 10n ** BigInt(shift);
  return literal.startsWith('-') ? -value : value;
}

/** The first index, from `at` in steps of `step`, where there is no zero. A loop, because `/0+$/` is quadratic. */
function skipZeros(digits: string, at: number, step: 1 | -1): number {
  let index = at;
  while (digits[index] === '0') index += step;
  return index;
}
