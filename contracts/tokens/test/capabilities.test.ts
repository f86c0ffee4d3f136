import { type ClauseResult, runContract } from '@plant-store/contracts-kit';
import { inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { tokenVerifierContract, type VerifierHarness } from '../src/index.ts';
import { type VerifierMutation, verifierHarness } from './model/model-verifier.ts';

test('a verifier without the capability external need not survive an outage: TV-6 is reported as not promised', async () => {
  const results = await check(({ startOutage: _, ...harness }) => {
    return { ...harness, capabilities: { ...harness.capabilities, external: false } };
  });
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({ id: 'TV-6', verdict: 'not-promised' }),
  ]);
});

test('the capability external without startOutage is a violation', async () => {
  const results = await check(({ startOutage: _, ...harness }) => harness);
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({ id: 'TV-6', message: expect.stringContaining('supply it, or set external to false') }),
  ]);
});

test('an outage in which a verifier without keys still returns verdicts fails the clause', async () => {
  const results = await check((harness) => ({ ...harness, startOutage: async () => async () => {} }));
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([
    expect.objectContaining({
      id: 'TV-6',
      message: expect.stringContaining('expected: it throws VerifierUnavailable'),
    }),
  ]);
});

test('the time-out of the capabilities is the one that counts', async () => {
  const slow: VerifierMutation = (_, { keyServer }) => ({ learn: () => keyServer.sleep(3_000) });
  const results = await check((harness) => ({ ...harness, capabilities: { external: false, timeoutMs: 1_000 } }), slow);
  expect(results[0]).toHaveProperty('message', expect.stringContaining('a verdict, or an error, within 1000 ms'));
});

async function check(
  change: (harness: VerifierHarness) => VerifierHarness,
  mutation: VerifierMutation = () => ({}),
): Promise<readonly ClauseResult[]> {
  const run = await inVirtualTime((tools) =>
    runContract(tokenVerifierContract, change(verifierHarness(mutation, tools)), tools),
  );
  return run.results;
}
