import { anyVerifier } from '@plant-store/adapters-tokens';
import { type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

const accepts = (subject: string): TokenVerifier => ({ verify: async () => ({ accepted: true, subject }) });
const rejects: TokenVerifier = { verify: async () => ({ accepted: false }) };
const throwing = (error: Error): TokenVerifier => ({
  verify: async () => {
    throw error;
  },
});
const unavailable = throwing(new VerifierUnavailable('no key is known'));

const verdictOf = (...verifiers: TokenVerifier[]) => anyVerifier(verifiers).verify('a token');

test('a token that one verifier accepts is accepted, with the subject from the first that accepts it', async () => {
  expect(await verdictOf(rejects, accepts('a'), accepts('b'))).toEqual({ accepted: true, subject: 'a' });
  expect(await verdictOf(accepts('a'), rejects)).toEqual({ accepted: true, subject: 'a' });
});

test('a token that no verifier accepts is rejected', async () => {
  expect(await verdictOf(rejects, rejects)).toEqual({ accepted: false });
  expect(await verdictOf()).toEqual({ accepted: false });
});

test('an unavailable verifier does not prevent others from accepting', async () => {
  expect(await verdictOf(unavailable, accepts('a'))).toEqual({ accepted: true, subject: 'a' });
  expect(await verdictOf(accepts('a'), unavailable)).toEqual({ accepted: true, subject: 'a' });
});

test('if one is unavailable and the others reject, VerifierUnavailable is thrown', async () => {
  await expect(verdictOf(unavailable, rejects)).rejects.toThrow(VerifierUnavailable);
  await expect(verdictOf(rejects, unavailable)).rejects.toThrow(VerifierUnavailable);
});

test('any other error is thrown', async () => {
  await expect(verdictOf(throwing(new TypeError('defect')), accepts('a'))).rejects.toThrow(TypeError);
});
