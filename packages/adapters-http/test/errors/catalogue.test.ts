import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/index.ts';

test('every error number is unique', () => {
  const numbers = Object.values(errorCatalogue).map(({ error }) => error);
  expect(new Set(numbers).size).toBe(numbers.length);
});
