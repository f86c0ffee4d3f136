import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { afterEach, expect, test, vi } from 'vitest';

const clauses = ['EX-1', 'EX-2', 'EX-3'].map((id) => ({ id }));
const selected = () => clausesFor(clauses, ['EX-3', 'EX-1']).map(({ id }) => id);

afterEach(() => void vi.unstubAllEnvs());

test('the exhaustive run selects every clause', () => {
  vi.stubEnv('TEST_MUTANTS', 'all');
  expect(selected()).toEqual(['EX-1', 'EX-2', 'EX-3']);
});

test('any other run selects those that are named', () => {
  vi.stubEnv('TEST_MUTANTS', '');
  expect(selected()).toEqual(['EX-1', 'EX-3']);
});
