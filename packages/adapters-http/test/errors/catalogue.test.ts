import { expect, test } from 'vitest';
import { errorCatalogue } from '../../src/index.ts';

test('every number is its own', () => {
  const numbers = Object.values(errorCatalogue).map(({ error }) => error);
  expect(new Set(numbers).size).toBe(numbers.length);
});
