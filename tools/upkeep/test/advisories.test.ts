import { expect, test } from 'vitest';
import { exitCodes, verdictOf } from '../src/advisories/verdict.ts';

const answer = (counts: Readonly<Record<string, number>>) => JSON.stringify({ metadata: { vulnerabilities: counts } });

test.each([
  ['clean', answer({ low: 0, moderate: 0, high: 0, critical: 0 })],
  ['clean', answer({ low: 3, moderate: 2, high: 0, critical: 0 })],
  ['vulnerable', answer({ low: 0, moderate: 0, high: 1, critical: 0 })],
  ['vulnerable', answer({ low: 0, moderate: 0, high: 0, critical: 1 })],
  ['not-asked', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE\n\n  × The audit endpoint responded with 405:\n'],
  ['not-asked', '{}'],
  ['not-asked', ''],
])('%s: pnpm audit says %s', (outcome, output) => {
  expect(verdictOf(output).outcome).toBe(outcome);
});

test('nobody takes a service that could not be asked for an all-clear', () => {
  expect(verdictOf('  × The audit endpoint responded with 405:').text).toBe(
    'advisories: NOT CHECKED, the advisory service gave no answer (The audit endpoint responded with 405:)',
  );
  expect(exitCodes).toEqual({ clean: 0, vulnerable: 1, 'not-asked': 2 });
});
