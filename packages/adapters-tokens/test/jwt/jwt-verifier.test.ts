import { anyVerifier, digestVerifier, jwtAlgorithms, newToken, parseTokenList } from '@plant-store/adapters-tokens';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { audience, claims, issue, nowInSeconds, subjectOf, verifierWith } from './fixed-verifier.ts';
import { startIssuer } from './issuer.ts';
import { ec, keySet, refusedTokens } from './refused-tokens.ts';
import { headerFor, newKey, signed } from './signing-key.ts';

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
  ['up to 8,192 characters', () => issue(ec, { pad: 'x'.repeat(5_700) })],
  ['the last of duplicate members counts', () => signed(ec, headerFor(ec), `{"exp":1,${json(claims()).slice(1)}`)],
  ['an exp that is past by less than the clock skew', () => issue(ec, { exp: nowInSeconds() - 59 })],
  ['an nbf that is due within the clock skew', () => issue(ec, { nbf: nowInSeconds() + 60 })],
])('accepted: %s', async (_, token) => {
  expect(await verifier.verify(token())).toEqual(accepted);
});

test.each(jwtAlgorithms)('%s is accepted, with kid and without, unless the operator does not allow it', async (alg) => {
  const [key, other] = [newKey(alg), newKey(alg === 'RS256' ? 'ES256' : 'RS256')];
  const both = verifierWith([key, other]);
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

test.each([-1, 301, Number.NaN])('a clock skew of %d s is rejected', (clockSkewSeconds) => {
  const message = `clockSkewSeconds is ${clockSkewSeconds}; give 0 to 300`;
  expect(() => verifierWith([ec], { clockSkewSeconds })).toThrow(new RangeError(message));
});

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
  const reason = 'not a listed token; JWT: expired (exp)';
  expect(await both.verify(issue(ec, { exp: 1 }))).toEqual({ accepted: false, reason });
});

function json(value: unknown): string {
  return JSON.stringify(value);
}
