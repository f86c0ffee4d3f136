import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidJson, parseJson } from '../src/json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const parseId = (literal: string) => (parse(`{"id":${literal},"name":"n"}`) as { id: unknown }).id;

test.each([
  ['-0', 0n],
  ['0e999999999999999999', 0n],
  ['6.99999999999999999999', 7],
  [`7.${'0'.repeat(99)}`, 7n],
  [`7.${'0'.repeat(100)}`, 7],
  ['1e999999999999999999999', Number.POSITIVE_INFINITY],
  ['9'.repeat(60_000), Number.POSITIVE_INFINITY],
])('P2/F7 the number %s at id is %s', (literal, value) => expect(parseId(literal)).toBe(value));

test.each([
  ['the last of several', '{"id":1.0,"id":9007199254740993}', 9007199254740993n],
  ['one with an escaped name', '{"\\u0069d":9007199254740993}', 9007199254740993n],
  ['one beside strings that look like it', '{"a":"\\"id\\":1.5","b\\\\":"id","id":70e-1,"d":["id"]}', 7n],
  ['a string', '{"id":"7","a":1.5}', '7'],
])('P2/F7 of the members named id it is %s', (_, text, id) => expect(parse(text)).toMatchObject({ id }));

test('P2/F7 it is a bigint exactly where its value is an integer, for any literal', () => {
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
      expect(parseId(text)).toBe(exactValue(text));
    }),
    { numRuns: 2_000 },
  );
});

test('P2/F7 all other values are as JSON.parse makes them, for any JSON', () => {
  const numbersAtId = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(parse(text), numbersAtId)).toBe(JSON.stringify(JSON.parse(text), numbersAtId));
    }),
  );
});

test.each([
  ['', 'not valid JSON'],
  ['{"id":7,\n "name":"n",}', 'not valid JSON (line 2 column 13)'],
  ['{"id":1e400,"secret":3x}', 'not valid JSON (line 1 column 23)'],
  ['\ufeff{}', 'not valid JSON'],
  [`${'['.repeat(30_000)}1e5`, 'not valid JSON (line 1 column 30004)'],
  [`[1.5${',1'.repeat(1_000)}]`, 'JSON with more than 1000 values'],
])('P6/F7 %s is %s', (text, message) => expect(() => parse(text)).toThrow(new InvalidJson(message)));

/** The value, computed differently: as a fraction of two bigints. */
function exactValue(literal: string): number | bigint {
  const [mantissa = '', exponent = '0'] = literal.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = BigInt(exponent) - BigInt(fraction.length);
  const numerator = BigInt(whole + fraction) * 10n ** (power < 0n ? 0n : power);
  const divisor = 10n ** (power < 0n ? -power : 0n);
  return numerator % divisor === 0n ? numerator / divisor : Number(literal);
}
