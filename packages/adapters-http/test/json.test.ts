import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidJson, parseJson } from '../src/json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const idOf = (literal: string) => (parse(`{"id":${literal},"name":"n"}`) as { id: unknown }).id;

test.each([
  ['7', 7n],
  ['-0', 0n],
  ['0e999999999999999999', 0n],
  ['9007199254740993', 9007199254740993n],
  ['123456789012345E+4', 1234567890123450000n],
  ['-9223372036854775808', -9223372036854775808n],
  [`7.${'0'.repeat(99)}`, 7n],
  [`7.${'0'.repeat(100)}`, 7],
  ['900719925474099.01', 900719925474099],
  ['1e-400', 0],
  ['1e999999999999999999999', Number.POSITIVE_INFINITY],
  ['9'.repeat(60_000), Number.POSITIVE_INFINITY],
])('the number %s at id is %s', (literal, value) => expect(idOf(literal)).toBe(value));

test.each([
  ['the last of several', '{"id":1.0,"id":9007199254740993}', 9007199254740993n],
  ['one with an escaped name', '{"\\u0069d":9007199254740993}', 9007199254740993n],
  ['one with white space', '{ "id"\n:\t9007199254740993 }', 9007199254740993n],
  [
    'one beside strings that look like it',
    '{"a":"\\"id\\":1.5","b\\\\":"id","id":70e-1,"c":{"id":1.5},"d":["id"]}',
    7n,
  ],
  ['a string', '{"id":"7","a":1.5}', '7'],
])('of the members named id it is %s', (_, text, id) => expect(parse(text)).toMatchObject({ id }));

test('an id in another object, or in a list, is a plain number', () => {
  expect(parse('{"x":{"id":9007199254740993},"id":1.0}')).toEqual({ x: { id: 9007199254740992 }, id: 1n });
  expect(parse('[{"id":1e0}]')).toEqual([{ id: 1 }]);
});

test('it is a bigint exactly where its value is an integer, for any literal', () => {
  const literal = fc
    .tuple(
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
      fc.option(fc.stringMatching(/^\d{1,25}$/)),
      fc.option(fc.integer({ min: -30, max: 30 })),
    )
    .map(
      ([whole, fraction, exponent]) =>
        `${whole}${fraction ? `.${fraction}` : ''}${exponent === null ? '' : `e${exponent}`}`,
    );
  fc.assert(
    fc.property(literal, (text) => {
      expect(idOf(text)).toBe(exactValue(text));
    }),
    { numRuns: 2_000 },
  );
});

test('all other values are as JSON.parse makes them, for any JSON', () => {
  const numbersAtId = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parse(text), numbersAtId)).toBe(JSON.stringify(JSON.parse(text), numbersAtId));
    }),
  );
});

test.each([
  ['', 'not valid JSON: it ends too early'],
  ['{"id":7', 'not valid JSON: it ends too early'],
  ['"abc', 'not valid JSON: it ends too early'],
  ['{"id":7,"name":3x}', 'not valid JSON: column 17'],
  ['{"id":7,\n "name":"n",}', 'not valid JSON: line 2, column 13'],
  ['{"id":1e400,"name":"n"} x', 'not valid JSON: column 25'],
  ['{"name":"a\tb"}', 'not valid JSON: column 11'],
  ['\ufeff{}', 'not valid JSON: column 1'],
  [`${'['.repeat(8_000)}1e5`, 'not valid JSON: it ends too early'],
  [`${'['.repeat(30_000)}1e5`, 'not valid JSON'],
])('%s is %s', (text, message) => expect(() => parse(text)).toThrow(new InvalidJson(message)));

/** The value, computed differently: as a fraction of two bigints. */
function exactValue(literal: string): number | bigint {
  const [mantissa = '', exponent = '0'] = literal.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const numerator = BigInt(whole + fraction) * 10n ** (power < 0n ? 0n : power);
  const divisor = 10n ** (power < 0n ? -power : 0n);
  return numerator % divisor === 0n ? numerator / divisor : Number(literal);
}
