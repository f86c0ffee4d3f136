import { jwtAlgorithms } from '@plant-store/adapters-tokens';
import type { JwtVerifierOptions } from '@plant-store/adapters-tokens/jwt';
import type { JWTVerifyGetKey } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseKeySet } from '../../src/jwt/key-set.ts';
import {
  audience,
  claims,
  headerFor,
  issue,
  keySetOf,
  named,
  newKey,
  nowInSeconds,
  type SigningKey,
  signed,
  verifierWith,
} from './jwts.ts';
import { ec, keySet, refusedTokens, rsa } from './refused-tokens.ts';

const accepted = expect.objectContaining({ accepted: true, subject: 'jwt:"https://issuer.example/":gardener' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test.each(Object.entries(refusedTokens))('%s', async (reason, tokens) => {
  const { verify } = verifierWith(keySet);
  for (const token of tokens) expect(await verify(token), token).toEqual({ accepted: false, reason });
  expect(await verify(issue(ec))).toEqual(accepted);
});

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

const keys = Array.from({ length: 17 }, (_, at) => newKey('ES256', `key-${at}`));
const [one, two, three] = keys as [SigningKey, SigningKey, SigningKey, ...SigningKey[]];

test.each<[what: string, keys: readonly SigningKey[], signer: SigningKey, isNamed: boolean, accepted: boolean]>([
  ['no kid, and the 16th key signed it', keys, keys[15] as SigningKey, false, true],
  ['no kid, and the 17th key signed it: a check costs CPU', keys, keys[16] as SigningKey, false, false],
  ['a kid that two keys share', [named('kid', one), named('kid', two)], named('kid', two), true, true],
  ['a kid that two keys share, and none signed it', [one, named(one.kid, two)], named(one.kid, three), true, false],
  ['a kid that a key shares with one that is too short', [newKey('RS256', 'rsa', 1_024), rsa], rsa, true, true],
])('a token that fits several keys, with %s', async (_, published, signer, isNamed, isAccepted) => {
  const header = isNamed ? headerFor(signer) : { alg: signer.alg };
  const verdict = await verifierWith(keySetOf(...published)).verify(signed(signer, header, claims()));
  expect(verdict).toMatchObject(isAccepted ? accepted : { reason: 'JWT: signature verification failed' });
});

test.each<[what: string, made: (at: number) => string]>([
  ['forged', (at) => issue(named('ec', two), { jti: at })],
  ['expired', (at) => issue(ec, { exp: 1, jti: at })],
])('however many refused tokens strangers send, a renewed token is accepted: %s', async (_, made) => {
  const { verify } = verifierWith(keySet);
  const refused = Array.from({ length: 2_000 }, (_, at) => verify(made(at)));
  expect(await verify(issue(ec))).toEqual(accepted);
  for (const verdict of await Promise.all(refused)) expect(verdict.accepted).toBe(false);
});

test('while the issuer is slow, a bounded number of tokens waits for its keys', async () => {
  const slow = Promise.withResolvers<void>();
  const keys = { current: parseKeySet(keySet), renew: () => slow.promise, close: () => {} };
  const { verify } = verifierWith(keySet, { keys });
  const unknown = Array.from({ length: 4_001 }, (_, at) => verify(issue(named(`${at}`, two))));
  await expect(unknown.at(-1)).rejects.toThrow('too many tokens wait for the keys of the issuer');
  expect(await verify(issue(ec))).toEqual(accepted);
  slow.resolve();
  for (const verdict of await Promise.all(unknown.slice(0, -1))) expect(verdict.accepted).toBe(false);
  expect(await verify(issue(named('later', two)))).toMatchObject({ accepted: false });
});

test.each(jwtAlgorithms)(
  '%s is accepted if the operator allows it, by default unless its check is slow',
  async (alg) => {
    const [key, other] = [newKey(alg), newKey(alg === 'RS256' ? 'ES256' : 'RS256')];
    const isAccepted = async (algorithms?: JwtVerifierOptions['algorithms']) =>
      (await verifierWith(keySetOf(key, other), algorithms && { algorithms }).verify(issue(key))).accepted;
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
  const { verify } = verifierWith(keySet, { issuer: 'a":b' });
  expect(await verify(issue(ec, { iss: 'a":b', sub: 'c' }))).toMatchObject({
    accepted: true,
    subject: 'jwt:"a\\":b":c',
  });
});

test('a cached token is refused after its exp, and by new keys, even if they came while it was verified', async () => {
  const known = parseKeySet(keySetOf(ec));
  const keys: { current: JWTVerifyGetKey; close(): void } = { current: known, close: () => {} };
  const { verify } = verifierWith(keySet, { keys });
  const [token, brief] = [issue(ec), issue(ec, { exp: nowInSeconds() + 10 })];
  expect(await verify(brief)).toEqual(accepted);
  vi.setSystemTime(Date.now() + 70_000);
  expect((await verify(brief)).accepted).toBe(false);

  keys.current = (...header) => {
    keys.current = parseKeySet(keySetOf(one));
    return known(...header);
  };
  expect(await verify(token)).toEqual(accepted);
  expect((await verify(token)).accepted).toBe(false);
  // Tokens of the new keys do not bring it back.
  expect(await verify(issue(one))).toEqual(accepted);
  expect((await verify(token)).accepted).toBe(false);
});
