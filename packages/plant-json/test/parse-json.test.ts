import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidJson, parseJson } from '../src/index.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const idOf = (literal: string) => (parse(`{"id":${literal},"name":"n"}`) as { id: unknown }).id;

describe('the number at id', () => {
  test.each([
    ['7', 7n],
    ['0e999999999999999999', 0n],
    ['9007199254740993', 9007199254740993n],
    ['123456789012345E+4', 1234567890123450000n],
    ['-9223372036854775808', -9223372036854775808n],
    [`7.${'0'.repeat(10_000)}`, 7n],
    [`0.${'0'.repeat(10_000)}7e10001`, 7n],
    ['900719925474099.01', 900719925474099],
    ['1e-400', 0],
    ['10000000000000000000', 1e19],
    [`1e999999999999999999999`, Number.POSITIVE_INFINITY],
    [`1${'0'.repeat(10_000)}`, Number.POSITIVE_INFINITY],
  ])('%s is %s', (literal, value) => expect(idOf(literal)).toBe(value));

  test('is a bigint exactly where its value is an integer of at most 19 digits, for any literal', () => {
    const literal = fc
      .tuple(
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 10n ** 25n }),
        fc.option(fc.stringMatching(/^\d{1,25}$/)),
        fc.option(fc.integer({ min: -30, max: 30 })),
      )
      .map(
        ([minus, whole, fraction, exponent]) =>
          `${minus ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    fc.assert(
      fc.property(literal, (text) => {
        expect(idOf(text)).toBe(expectedOf(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['the last of several counts', '{"id":1,"id":9007199254740993}', 9007199254740993n],
    ['the last one counts, however its name is written', '{"id":1,"\\u0069d":9007199254740993}', 9007199254740993n],
    ['the first member counts, whatever else is named so', '{"id":9007199254740993,"a":{"id":1}}', 9007199254740993n],
    ['a name that only begins so is another one', '{"idea":1,"id":9007199254740993}', 9007199254740993n],
    ['its name may be escaped', '{"\\u0069d":9007199254740993}', 9007199254740993n],
    [
      'one in another member does not count',
      '{"x":{"id":9007199254740995},"id":9007199254740993,"y":[{"id":1}]}',
      9007199254740993n,
    ],
    [
      'one inside a string does not count',
      '{"name":"\\"id\\":9007199254740995","id":9007199254740993}',
      9007199254740993n,
    ],
    [
      'one after a string that ends with a backslash counts',
      '{"name":"\\\\","id":9007199254740993}',
      9007199254740993n,
    ],
    ['white space does not matter', ' {\n"id"\t:\r9007199254740993 }', 9007199254740993n],
    ['a string is a string', '{"id":9007199254740993,"id":"7"}', '7'],
  ])('%s', (_title, text, id) => expect(parse(text)).toHaveProperty('id', id));
});

describe('all other values', () => {
  test('are as JSON.parse makes them, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const expected = JSON.parse(text);
        if (typeof expected?.id === 'number') expected.id = expectedOf(String(expected.id));
        expect(parse(text)).toEqual(expected);
      }),
    );
  });

  test('never change the prototype of anything', () => {
    const body = parse('{"__proto__":{"id":1,"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test.each([
  ['nested 65 deep, of 16 KiB', nested(65).padEnd(16_384)],
  ['nested 64 deep, of more', nested(64).padEnd(16_385)],
  ['with brackets in strings', JSON.stringify(['\\"[{,'.repeat(20_000), '\\'])],
  ['with 9,999 values', `[${'10,'.repeat(9_998)}1]`],
])('a body %s is parsed', (_title, text) => expect(parse(text)).toEqual(JSON.parse(text)));

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

describe('a body is rejected', () => {
  test.each([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['a truncated text', Buffer.from('{"id":1')],
    ['larger than 16 KiB and nested 65 deep', Buffer.from(nested(65).padEnd(16_385))],
    ['larger than 16 KiB and has 10,001 values', Buffer.from(`[${'1,'.repeat(10_000)}1]`)],
    [
      'larger than 16 KiB and has 10,001 objects',
      Buffer.from('{"a":'.repeat(63).padEnd(20_000) + '[{}]'.repeat(5_001)),
    ],
  ])('that is %s', (_title, bytes) => {
    expect(() => parseJson(bytes)).toThrow(InvalidJson);
  });
});

/** The value, computed differently: as a fraction of two bigints. */
function expectedOf(literal: string): number | bigint {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const unscaled = BigInt(whole.replace('-', '') + fraction) * (whole.startsWith('-') ? -1n : 1n);
  const divisor = 10n ** (power < 0n ? -power : 0n);
  const value = unscaled * 10n ** (power < 0n ? 0n : power);
  return value % divisor === 0n && String(value / divisor).replace('-', '').length <= 19
    ? value / divisor
    : Number(literal);
}
