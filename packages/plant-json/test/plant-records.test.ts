import { expect, test } from 'vitest';
import { InvalidPlant, parseJson, readNewPlant, toJson } from '../src/index.ts';

function faultsOf(value: unknown): InvalidPlant {
  try {
    readNewPlant(value);
  } catch (error) {
    if (error instanceof InvalidPlant) return error;
    throw error;
  }
  expect.unreachable();
}

test('every invalid field is named once, with what was expected, and nothing that came in', () => {
  const invalid = faultsOf({ id: 2n ** 63n, name: 'sesame\0', tag: null });
  expect(invalid.faults.map(({ field }) => field)).toEqual(['id', 'name', 'tag']);
  expect(invalid.describe('the line')).toBe(
    'id: expected an integer from -9223372036854775808 to 9223372036854775807; name: expected a string of well-formed Unicode without U+0000; tag: expected a string of well-formed Unicode without U+0000, or no tag',
  );
});

test.for([null, 7, 'sesame', []])('of %j, which is no record, the whole is what is wrong', (value) => {
  expect(faultsOf(value).describe('the line')).toBe('the line: expected a JSON object with id and name');
});

test('what was written is read back', () => {
  const plant = { id: -9_007_199_254_740_993n, name: 'Fern "\n"', tag: '' };
  expect(readNewPlant(parseJson(Buffer.from(toJson(plant))))).toEqual(plant);
});
