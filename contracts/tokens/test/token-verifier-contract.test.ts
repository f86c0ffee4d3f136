import { runContract } from '@plant-store/contracts-kit';
import { describeMutants, inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { type VerifierMutation, verifierHarness } from '../src/model-verifier.ts';
import { correctVerifiers, verifierMutants } from './mutants.ts';

describeMutants(tokenVerifierContract, {
  correct: correctVerifiers,
  mutants: verifierMutants,
  harness: verifierHarness,
});

const notExternal = { capabilities: { external: false, timeoutMs: 1_000 } };
const slow: VerifierMutation = (_, { keyServer }) => ({ loadKeys: () => keyServer.sleep(3_000) });
const noOutage = { startOutage: async () => async () => {} };

test.each<[what: string, harness: object, mutation: VerifierMutation, id: string, verdict: string, says?: RegExp]>([
  ['external: an outage need not be survived', notExternal, () => ({}), 'TV-6', 'not-promised'],
  ['external without startOutage: a violation', { startOutage: undefined }, () => ({}), 'TV-6', 'failed', /supply it/],
  ['an outage that is none: a violation', noOutage, () => ({}), 'TV-6', 'failed', /expected: it throws Verifier/],
  ['a time-out: it counts', notExternal, slow, 'TV-1', 'failed', /a verdict, or an error, within 1000 ms/],
])('what a harness says of %s', async (_, change, mutation, id, verdict, says) => {
  const { results } = await inVirtualTime((tools) =>
    runContract(tokenVerifierContract, { ...verifierHarness(mutation, tools), ...change }, tools),
  );
  const [first] = results.filter((result) => result.verdict !== 'passed');
  expect(first).toMatchObject({ id, verdict, ...(says && { message: expect.stringMatching(says) }) });
});
