import { anyVerifier } from '@plant-store/adapters-tokens';
import { type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

const accepts = (subject: string): TokenVerifier => ({ verify: async () => ({ accepted: true, subject }) });
const rejects: TokenVerifier = { verify: async () => ({ accepted: false }) };
const throws = (error: Error): TokenVerifier => ({ verify: () => Promise.reject(error) });
const unavailable = throws(new VerifierUnavailable('no key is known'));
const defect = throws(new TypeError('defect'));
const a = { accepted: true, subject: 'a' };
const none = { accepted: false };

test.each([
  ['a token that one accepts is accepted, with the first subject', [rejects, accepts('a'), accepts('b')], a],
  ['the first one may accept it', [accepts('a'), rejects], a],
  ['a token that none accepts is rejected', [rejects, rejects], none],
  ['without a verifier, every token is rejected', [], none],
  ['an unavailable one does not prevent others from accepting', [unavailable, accepts('a')], a],
  ['nor does one behind the others', [accepts('a'), unavailable], a],
  ['if one is unavailable and the others reject, that is thrown', [unavailable, rejects], VerifierUnavailable],
  ['in any order', [rejects, unavailable], VerifierUnavailable],
  ['any other error is thrown', [defect, accepts('a')], TypeError],
])('%s', async (_, verifiers, expected) => {
  const result = await anyVerifier(verifiers)
    .verify('a token')
    .catch((error: Error) => error.constructor);
  expect(result).toEqual(expected);
});
