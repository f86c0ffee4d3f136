/**
 * The exact value of a JSON number literal where that is an integer: `7`, `7.0`, `70e-1` and `7e0` are all 7, as JSON
 * Schema has it (draft 2020-12, section 6.1.1). Takes time proportional to the length of the literal, whatever its value.
 *
 * @param literal a number as RFC 8259 section 6 writes it.
 * @param maxDigits how many decimal digits the value may have.
 * @returns undefined where the value is not an integer, or has more digits than that.
 */
export function parseInteger(literal: string, maxDigits: number): bigint | undefined {
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
