import { expect, test } from 'vitest';
import { StoreUnavailable, VerifierUnavailable } from '../src/index.ts';

test.each([
  ['StoreUnavailable', StoreUnavailable],
  ['VerifierUnavailable', VerifierUnavailable],
])('%s says its name in the log, and keeps its cause', (name, Unavailable) => {
  const cause = new Error('ECONNREFUSED');
  const error = new Unavailable('unreachable', { cause });
  expect(String(error)).toBe(`${name}: unreachable`);
  expect(error.cause).toBe(cause);
});
