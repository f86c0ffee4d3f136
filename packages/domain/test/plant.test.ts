import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  INT64_MAX,
  INT64_MIN,
  isInt64,
  isSamePlant,
  isStorableText,
  type NewPlant,
  type PlantFault,
  parseNewPlant,
  pickPlant,
} from '../src/index.ts';

describe('isInt64', () => {
  test.each([
    [-9223372036854775809n, false],
    [-9223372036854775808n, true],
    [9223372036854775807n, true],
    [9223372036854775808n, false],
  ])('of %d is %s', (value, expected) => {
    expect(isInt64(value)).toBe(expected);
    expect([INT64_MIN, INT64_MAX].includes(value)).toBe(expected);
  });

  test('agrees with wrapping to 64 bits, for any whole number', () => {
    fc.assert(fc.property(fc.bigInt(), (value) => isInt64(value) === (BigInt.asIntN(64, value) === value)));
  });
});

describe('isStorableText', () => {
  test.each(['\0', 'a\0b'])('is false for %j', (text) => expect(isStorableText(text)).toBe(false));

  test('agrees with a round trip through UTF-8, for any sequence of code units', () => {
    const unit = fc.oneof(fc.integer({ min: 1, max: 0xffff }), fc.integer({ min: 1, max: 0x10ffff }));
    const codeUnits = fc.array(unit).map((units) => String.fromCodePoint(...units));
    fc.assert(fc.property(codeUnits, (text) => isStorableText(text) === (Buffer.from(text).toString() === text)));
  });
});

describe('isSamePlant', () => {
  test.each([
    [{ name: 'a' }, { name: 'a' }, true],
    [{ name: 'a', tag: 't' }, { name: 'a', tag: 't' }, true],
    [{ name: 'a' }, { name: 'b' }, false],
    [{ name: 'a', tag: 't' }, { name: 'a', tag: 'u' }, false],
    [{ name: 'a' }, { name: 'a', tag: '' }, false],
    [{ name: 'é' }, { name: 'e\u0301' }, false],
  ])('%j and %j: %s', (a, b, same) => {
    expect(isSamePlant(a, b)).toBe(same);
    expect(isSamePlant(b, a)).toBe(same);
  });
});

describe('pickPlant', () => {
  test('leaves the id out, and what is absent; what is empty stays', () => {
    expect(pickPlant({ id: 1n, name: '', tag: '' } as NewPlant)).toStrictEqual({ name: '', tag: '' });
    expect(pickPlant({ name: 'a', tag: null })).toStrictEqual({ name: 'a' });
    expect(pickPlant({ name: 'a', tag: undefined })).toStrictEqual({ name: 'a' });
  });
});

describe('parseNewPlant', () => {
  test('makes a new object with the fields of a plant, and no other', () => {
    const record = { id: INT64_MIN, name: '', tag: '', colour: 'x', __proto__: null };
    expect(parseNewPlant(record)).toStrictEqual({ plant: { id: INT64_MIN, name: '', tag: '' } });
    expect(parseNewPlant({ id: 1n, name: 'a', tag: undefined })).toStrictEqual({ plant: { id: 1n, name: 'a' } });
  });

  const text = 'must be a string of well-formed Unicode without U+0000';
  const idFault = { field: 'id', message: `must be an integer from ${-(2n ** 63n)} to ${2n ** 63n - 1n}` } as const;
  const nameFault = { field: 'name', message: text } as const;
  const tagFault = { field: 'tag', message: `${text}, or absent` } as const;
  test.each<[unknown, PlantFault[]]>([
    [{}, (['id', 'name'] as const).map((field) => ({ field, message: 'is missing' }))],
    [{ id: INT64_MAX + 1n, name: '\0', tag: '\ud800' }, [idFault, nameFault, tagFault]],
    [{ id: '1', name: null }, [idFault, nameFault]],
    [{ id: 1n, name: 'a', tag: null }, [tagFault]],
    [[], [{ message: 'must be an object with id and name' }]],
    [null, [{ message: 'must be an object with id and name' }]],
  ])('of %o says everything that is wrong', (record, faults) => {
    expect(parseNewPlant(record)).toEqual({ faults });
  });
});
