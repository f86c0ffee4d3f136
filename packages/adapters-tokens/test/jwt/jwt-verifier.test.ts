import {
  anyVerifier,
  defaultJwtAlgorithms,
  digestVerifier,
  jwtAlgorithms,
  newToken,
  parseTokenList,
} from '@plant-store/adapters-tokens';
import { VerifierUnavailable } from '@plant-store/domain';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { audience, claims, issue, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { startIssuer } from './issuer.ts';
import { ec, keySet, refusedTokens, shortKeyPair } from './refused-tokens.ts';
import { headerFor, newKey, type SigningKey, signed } from './signing-key.ts';

const accepted = { accepted: true, subject: subjectOf('gardener') };
const verifier = verifierWith(keySet);
const withHeader = (others: object) => signed(ec, { ...headerFor(ec), ...others }, claims());

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1_000) * 1_000 }));
afterEach(() => void vi.useRealTimers());

test.each(Object.entries(refusedTokens))('%s', async (reason, tokens) => {
  for (const token of tokens) expect(await verifier.verify(token), token).toEqual({ accepted: false, reason });
  expect(await verifier.verify(issue(ec))).toEqual(accepted);
});

test.each<[what: string, token: () => string]>([
  ...['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', 'application/jwt', undefined].map(
    (typ): [string, () => string] => [`typ ${typ}`, () => withHeader({ typ })],
  ),
  ...[audience, [audience], ['https://animals.example', audience]].map((aud): [string, () => string] => [
    `aud ${aud}`,
    () => issue(ec, { aud }),
  ]),
  ['the last of duplicate members counts', () => signed(ec, headerFor(ec), `{"exp":1,${json(claims()).slice(1)}`)],
  ['an exp that is past by less than the clock skew', () => issue(ec, { exp: nowInSeconds() - 59 })],
  ['an nbf that is due within the clock skew', () => issue(ec, { nbf: nowInSeconds() + 60 })],
])('accepted: %s', async (_, token) => {
  expect(await verifier.verify(token())).toEqual(accepted);
});

test('by default, the algorithms with SHA-512 are not accepted: refusing a forged ES512 takes ten times the CPU of an ES256', () => {
  expect(defaultJwtAlgorithms).toEqual(['RS256', 'RS384', 'PS256', 'PS384', 'ES256', 'ES384', 'EdDSA', 'Ed25519']);
});

const keyPairs = Array.from({ length: 17 }, (_, at) => newKey('ES256', `key-${at}`));
const [one, two, three, ...more] = keyPairs as [SigningKey, SigningKey, SigningKey, ...SigningKey[]];
const sameName = (...keys: readonly SigningKey[]) =>
  keys.map((key): SigningKey => ({ ...key, kid: 'same', jwk: { ...key.jwk, kid: 'same' } }));
const shortRsa = { ...newKey('RS256', 'rsa'), ...shortKeyPair('rsa') };
const rsa = newKey('RS256', 'rsa');

/** Tokens that fit several keys: those in the key set, the signer, whether the token names its key. */
test.each<[what: string, keys: readonly SigningKey[], signer: SigningKey, named: boolean, accepted: boolean]>([
  ['no kid, and the first key signed it', [one, two, three], one, false, true],
  ['no kid, and the last key signed it', [one, two, three], three, false, true],
  ['no kid, and the 16th key signed it', keyPairs, more[12] as SigningKey, false, true],
  [
    'no kid, and the 17th key signed it: a stranger makes the service check 16',
    keyPairs,
    more[13] as SigningKey,
    false,
    false,
  ],
  ['no kid, and none signed it', [one, two], three, false, false],
  ['a kid that two keys share', sameName(one, two), sameName(two)[0] as SigningKey, true, true],
  [
    'a kid that two keys share, and another signed it',
    sameName(one, two),
    sameName(three)[0] as SigningKey,
    true,
    false,
  ],
  ['a key that is listed twice', [one, one], one, true, true],
  ['a kid that a key shares with one that is too short', [shortRsa, rsa], rsa, true, true],
])('a token with %s', async (_, keys, signer, named, isAccepted) => {
  const header = named ? headerFor(signer) : { alg: signer.alg };
  const verdict = await verifierWith(keys).verify(signed(signer, header, claims()));
  expect(verdict).toMatchObject(isAccepted ? accepted : { reason: 'JWT: signature verification failed' });
});

describe('tokens that are refused after their signatures were checked', () => {
  const forged = (at: number) => signed({ ...ec, privateKey: two.privateKey }, headerFor(ec), claims({ jti: at }));
  const expired = (at: number) => issue(ec, { exp: 1, jti: at });
  const withoutKid = (at: number) => signed(three, { alg: 'ES256' }, claims({ jti: at }));
  const tooMany = new VerifierUnavailable('JWT: too many signatures were wrong within a second');

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));

  test.each<[what: string, made: (at: number) => string, keys: readonly SigningKey[], perSecond: number]>([
    ['forged', forged, [ec], 200],
    ['expired', expired, [ec], 200],
    ['forged without a kid, for one of four keys', withoutKid, [ec, one, two, newKey('ES256')], 50],
  ])('are at most 200 checks a second: %s', async (_, made, keys, perSecond) => {
    const { verify } = verifierWith(keys);
    const good = issue(ec);
    expect(await verify(good)).toEqual(accepted);
    for (const _second of [1, 2]) {
      // All at once: each has to know of those before it.
      const results = await Promise.allSettled(Array.from({ length: 2 * perSecond }, (_each, at) => verify(made(at))));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(perSecond);
      await expect(verify(made(2 * perSecond))).rejects.toThrow(tooMany);
      await expect(verify(issue(ec, { sub: 'florist' }))).rejects.toThrow(VerifierUnavailable);
      // What is known is accepted all the same, and what needs no check is refused.
      expect(await verify(good)).toEqual(accepted);
      expect(await verify('stranger')).toEqual({ accepted: false, reason: 'JWT: Invalid Compact JWS' });
      vi.advanceTimersByTime(1_000);
    }
    expect((await verify(issue(ec, { sub: 'florist' }))).accepted).toBe(true);
  });

  test('valid tokens do not count', async () => {
    const { verify } = verifierWith([ec]);
    const verdicts = Array.from({ length: 250 }, (_each, at) => verify(issue(ec, { jti: at })));
    for (const verdict of await Promise.all(verdicts)) expect(verdict).toEqual(accepted);
  });
});

test.each(jwtAlgorithms)('%s is accepted, with kid and without, unless the operator does not allow it', async (alg) => {
  const [key, other] = [newKey(alg), newKey(alg === 'RS256' ? 'ES256' : 'RS256')];
  const both = verifierWith([key, other], { algorithms: jwtAlgorithms });
  expect(await both.verify(issue(key))).toEqual(accepted);
  expect(await both.verify(signed(key, { alg }, claims()))).toEqual(accepted);
  const narrow = verifierWith([key, other], { algorithms: [other.alg] });
  expect(await narrow.verify(issue(key))).toMatchObject({ accepted: false });
});

test.each([
  [undefined, 60],
  [0, 0],
  [300, 300],
])(
  'with a clock skew of %s s, a token is accepted until %d s after exp, and from then before nbf',
  async (given, skew) => {
    const { verify } = verifierWith([ec], given === undefined ? {} : { clockSkewSeconds: given });
    const isAccepted = async (others: object) => (await verify(issue(ec, { ...others }))).accepted;
    const now = nowInSeconds();
    expect([await isAccepted({ exp: now - skew + 1 }), await isAccepted({ exp: now - skew })]).toEqual([true, false]);
    expect([await isAccepted({ nbf: now + skew }), await isAccepted({ nbf: now + skew + 1 })]).toEqual([true, false]);
  },
);

test('the subject never makes two clients one: of another issuer, or with an opaque token', async () => {
  const opaque = newToken().entry;
  const subjects = [opaque];
  const pairs = [
    ['a', opaque],
    ['b', opaque],
    ['a', 'b":c'],
    ['a":b', 'c'],
    ['a', 'x'.repeat(255)],
  ] as const;
  for (const [iss, sub] of pairs) {
    const verdict = await verifierWith([ec], { issuer: iss }).verify(issue(ec, { iss, sub }));
    subjects.push(verdict.accepted ? verdict.subject : expect.unreachable());
  }
  expect(new Set(subjects).size).toBe(1 + pairs.length);
});

test.each(['jku', 'x5u'])('%s: nothing is fetched from a URL in the token', async (member) => {
  const attacker = newKey('ES256', 'attacker');
  const { url, requests } = await startIssuer({ onTestFinished }, attacker);
  const token = signed(attacker, { ...headerFor(attacker), [member]: url }, claims());
  expect(await verifier.verify(token)).toMatchObject({ accepted: false });
  expect(requests()).toBe(0);
});

test('if opaque tokens are accepted, too, both reasons are reported', async () => {
  const both = anyVerifier([digestVerifier([{ digests: parseTokenList('token-of-the-tests') }]), verifier]);
  const reason = 'not a listed token; JWT: "exp" claim timestamp check failed';
  expect(await both.verify(issue(ec, { exp: 1 }))).toEqual({ accepted: false, reason });
});

function json(value: unknown): string {
  return JSON.stringify(value);
}
