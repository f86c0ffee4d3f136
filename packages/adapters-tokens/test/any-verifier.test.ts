import { anyVerifier } from '@plant-store/adapters-tokens';
import { type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

const accepts = (subject: string): TokenVerifier => ({ verify: async () => ({ accepted: true, subject }) });
const refuses = (reason: string): TokenVerifier => ({ verify: async () => ({ accepted: false, reason }) });
const unavailable: TokenVerifier = { verify: () => Promise.reject(new VerifierUnavailable('no key is known')) };
const [a, no, nor] = [accepts('a'), refuses('no'), refuses('nor')];

test.each([
  ['a token that one accepts is accepted, with the first subject', [no, a, accepts('b')], 'a'],
  ['a token that none accepts is refused, with all reasons', [no, nor], 'no; nor'],
  ['without a verifier, every token is refused', [], ''],
  ['one that accepts is the last that is asked', [a, unavailable], 'a'],
  ['if one is unavailable and none before it accepts, that is thrown', [no, unavailable], VerifierUnavailable],
])('%s', async (_, verifiers, expected) => {
  const result = await anyVerifier(verifiers)
    .verify('a token')
    .then(
      (verdict) => (verdict.accepted ? verdict.subject : verdict.reason),
      (error: Error) => error.constructor,
    );
  expect(result).toEqual(expected);
});
