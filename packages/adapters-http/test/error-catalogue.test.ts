import { expect, test } from 'vitest';
import { errorCatalogue, type FailureKind, statusOf } from '../src/index.ts';

const kinds = Object.keys(errorCatalogue) as FailureKind[];

test('every number is its own, an int32, and says its status', () => {
  const numbers = kinds.map((kind) => errorCatalogue[kind].error);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const kind of kinds) {
    expect(errorCatalogue[kind].error).toBeLessThan(2 ** 31);
    expect([400, 401, 404, 405, 429, 500, 503]).toContain(statusOf(kind));
  }
});
