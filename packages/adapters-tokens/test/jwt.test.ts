import { jwtAlgorithms } from '@plant-store/adapters-tokens';
import type { JwtVerifierOptions } from '@plant-store/adapters-tokens/jwt';
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { audience, claims, headerFor, issue, makeKeySet, newKey, nowInSeconds, signed, verifierWith } from './jwts.ts';
import { ec, keySet } from './refused-tokens.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test.each<[what: string, header: object, claims?: object]>([
  ['the typ at+jwt in capitals', { typ: 'AT+JWT' }],
  ['the typ application/at+jwt', { typ: 'application/at+jwt' }],
  ['no typ', { typ: undefined }],
  ['a list of audiences', {}, { aud: ['https://animals.example', audience] }],
  ['a subject of 255 characters', {}, { sub: 'x'.repeat(255) }],
])('a token with %s is accepted', async (_, header, others = {}) => {
  const token = signed(ec, { ...headerFor(ec), ...header }, claims(others));
  expect(await verifierWith(keySet).verify(token)).toMatchObject({ accepted: true });
});

test.each(jwtAlgorithms)(
  '%s is accepted if the operator allows it, by default unless its check is slow',
  async (alg) => {
    const [key, other] = [newKey(alg), newKey(alg === 'RS256' ? 'ES256' : 'RS256')];
    const isAccepted = async (algorithms?: JwtVerifierOptions['algorithms']) =>
      (await verifierWith(makeKeySet(key, other), algorithms && { algorithms }).verify(issue(key))).accepted;
    expect(await isAccepted([alg])).toBe(true);
    expect(await isAccepted([other.alg])).toBe(false);
    expect(await isAccepted()).toBe(!/384|512/.test(alg));
  },
);

test.each([
  [{}, 60],
  [{ clockSkewSeconds: 0 }, 0],
])('with %o, a token is accepted until %d s after exp, and from then before nbf', async (options, skew) => {
  const { verify } = verifierWith(keySet, options);
  const now = nowInSeconds();
  const tokens = [{ exp: now - skew + 1 }, { exp: now - skew }, { nbf: now + skew }, { nbf: now + skew + 1 }];
  const verdicts = await Promise.all(tokens.map((others) => verify(issue(ec, others))));
  expect(verdicts.map((verdict) => verdict.accepted)).toEqual([true, false, true, false]);
});

test('the subject has the issuer as a JSON text, so that no two clients share one', async () => {
  const verdict = await verifierWith(keySet, { issuer: 'a":b' }).verify(issue(ec, { iss: 'a":b', sub: 'c' }));
  expect(verdict).toMatchObject({ accepted: true, subject: 'jwt:"a\\":b":c' });
});

test('a token is remembered for 30 s, and not beyond its exp: then its key is looked up again', async () => {
  let find: JWTVerifyGetKey = createLocalJWKSet(JSON.parse(keySet));
  const keys = { find: (...token: Parameters<JWTVerifyGetKey>) => find(...token), close() {} };
  const { verify } = verifierWith(keySet, { keys });
  const [token, brief] = [issue(ec), issue(ec, { exp: nowInSeconds() + 10 })];
  for (const each of [token, brief]) expect((await verify(each)).accepted).toBe(true);
  find = createLocalJWKSet({ keys: [] });
  vi.setSystemTime(Date.now() + 11_000);
  expect([(await verify(token)).accepted, (await verify(brief)).accepted]).toEqual([true, false]);
  vi.setSystemTime(Date.now() + 20_000);
  expect((await verify(token)).accepted).toBe(false);
});
