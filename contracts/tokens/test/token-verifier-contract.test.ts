import { runContract } from '@plant-store/contracts-kit';
import { describeMutants, inVirtualTime } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';
import { tokenVerifierContract } from '../src/index.ts';
import { type VerifierMutation, verifierHarness } from '../src/model-verifier.ts';
import { failing } from '../src/outage-clause.ts';
import { refusing } from '../src/token-verifier-contract.ts';

const correct: Readonly<Record<string, VerifierMutation>> = {
  'fetches its keys when it is first called, and caches them': () => ({}),
  'returns a reason for a refusal': refusing((token) => `not known, and ${token.length} characters long`),
  'takes five seconds to fetch its keys': ({ withTimeout }, { keyServer }) => ({
    withTimeout: (call) => withTimeout(keyServer.sleep(5_000).then(() => call)),
  }),
  'looks up every token anew, and so knows none in an outage': ({ withTimeout, fetchKeys }) => ({
    loadKeys: () => withTimeout(fetchKeys()),
  }),
  'throws errors of another copy of domain': failing(async ({ message, code }) => {
    throw Object.assign(new Error(message), { code });
  }),
};

describeMutants(tokenVerifierContract, correct, verifierHarness);

const notExternal = { capabilities: { external: false, timeoutMs: 1_000 } };
const slow: VerifierMutation = (_, { keyServer }) => ({ loadKeys: () => keyServer.sleep(7_000) });
const noOutage = { startOutage: async () => async () => {} };

test.each<[what: string, harness: object, mutation: VerifierMutation, id: string, verdict: string, says?: RegExp]>([
  ['external: an outage need not be survived', notExternal, () => ({}), 'TV-6', 'not-promised'],
  ['external without startOutage: a violation', { startOutage: undefined }, () => ({}), 'TV-6', 'failed', /supply it/],
  ['an outage that is none: a violation', noOutage, () => ({}), 'TV-6', 'failed', /expected: it throws Verifier/],
  ['a time-out: it counts', notExternal, slow, 'TV-1', 'failed', /a verdict, or an error, within 1000 ms/],
])('what a harness says of %s', async (_, change, mutation, id, verdict, says) => {
  const results = await inVirtualTime((tools) =>
    runContract(tokenVerifierContract, { ...verifierHarness(mutation, tools), ...change }, tools),
  );
  const [first] = results.filter((result) => result.verdict !== 'passed');
  expect(first).toMatchObject({ id, verdict, ...(says && { message: expect.stringMatching(says) }) });
});

const tokensOnly = (...tokens: [string, string]) => ({
  prepare: async () => ({
    verifier: { verify: async (text: string) => ({ accepted: tokens.includes(text), subject: 'a client' }) as const },
    tokens,
  }),
});

test.each<[what: string, harness: object, notChecked: readonly string[], says?: string]>([
  [
    'no capitals',
    tokensOnly('rose-of-the-garden', 'weed-of-the-garden'),
    ['TV-1', 'TV-2', 'TV-3', 'TV-4', 'TV-5'],
    'capitals and small ones, for an issued token in lower case',
  ],
  ['four characters', tokensOnly('Rose', 'Weed-of-the-garden'), ['TV-5'], 'supply tokens of at least 16 characters'],
])(
  'with tokens of %s, a clause that cannot be checked says what to supply',
  async (_, change, notChecked, says = '') => {
    const results = await inVirtualTime((tools) =>
      runContract(tokenVerifierContract, { ...verifierHarness(() => ({}), tools), ...notExternal, ...change }, tools),
    );
    const unchecked = results.filter(({ verdict }) => verdict === 'not-checked');
    expect(unchecked.map(({ id }) => id)).toEqual(notChecked);
    for (const result of unchecked) expect(result).toMatchObject({ message: expect.stringContaining(says) });
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  },
);
