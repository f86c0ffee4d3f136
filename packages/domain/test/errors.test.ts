import { expect, test } from 'vitest';
import { PlantRefused, StoreUnavailable, VerifierUnavailable } from '../src/index.ts';

test.each([
  ['PlantRefused', PlantRefused],
  ['StoreUnavailable', StoreUnavailable],
  ['VerifierUnavailable', VerifierUnavailable],
])('%s says its name in the log, and keeps its cause', (name, Thrown) => {
  const cause = new Error('ECONNREFUSED');
  const error = new Thrown('unreachable', { cause });
  expect(String(error)).toBe(`${name}: unreachable`);
  expect(error.cause).toBe(cause);
});
