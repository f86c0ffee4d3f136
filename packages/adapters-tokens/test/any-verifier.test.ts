import { anyVerifier } from '@plant-store/adapters-tokens';
import { type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';

const accepts = (subject: string): TokenVerifier => ({ verify: async () => ({ accepted: true, subject }) });
const refuses: TokenVerifier = { verify: async () => ({ accepted: false }) };
const throwing = (error: Error): TokenVerifier => ({
  verify: async () => {
    throw error;
  },
});
const unavailable = throwing(new VerifierUnavailable('no key is known'));

const verdictOf = (...verifiers: TokenVerifier[]) => anyVerifier(verifiers).verify('a token');

test('what one of them accepts is accepted, with the subject of the first that does', async () => {
  expect(await verdictOf(refuses, accepts('a'), accepts('b'))).toEqual({ accepted: true, subject: 'a' });
  expect(await verdictOf(accepts('a'), refuses)).toEqual({ accepted: true, subject: 'a' });
});

test('what none of them accepts is refused', async () => {
  expect(await verdictOf(refuses, refuses)).toEqual({ accepted: false });
  expect(await verdictOf()).toEqual({ accepted: false });
});

test('one that cannot answer does not keep others from accepting', async () => {
  expect(await verdictOf(unavailable, accepts('a'))).toEqual({ accepted: true, subject: 'a' });
  expect(await verdictOf(accepts('a'), unavailable)).toEqual({ accepted: true, subject: 'a' });
});

test('if one cannot answer and the others refuse, VerifierUnavailable is thrown', async () => {
  await expect(verdictOf(unavailable, refuses)).rejects.toThrow(VerifierUnavailable);
  await expect(verdictOf(refuses, unavailable)).rejects.toThrow(VerifierUnavailable);
});

test('any other error is thrown', async () => {
  await expect(verdictOf(throwing(new TypeError('defect')), accepts('a'))).rejects.toThrow(TypeError);
});
