import { generateKeyPairSync } from 'node:crypto';
import { anyVerifier, digestVerifier, parseTokenList } from '@plant-store/adapters-tokens';
import { expect, test } from 'vitest';
import { claims, issue, nowInSeconds, verifierWith } from './fixed-verifier.ts';
import { headerFor, newKey, type SigningKey, signed } from './signing-key.ts';

const [key, twin, stranger] = [newKey('ES256', 'one'), newKey('ES256', 'two'), newKey('ES256', 'one')];
const short = shortKey();
const verifier = verifierWith([key, twin, short]);
const withHeader = (header: object) => signed(key, { ...headerFor(key), ...header }, claims());
const soon = nowInSeconds() + 600;
const endless = JSON.stringify(claims({ exp: 1 })).replace('"exp":1', '"exp":1e999');

test.each<[reason: string, token: string]>([
  ['JWT: expired (exp)', issue(key, { exp: 1 })],
  ['JWT: exp is missing', issue(key, { exp: undefined })],
  ['JWT: exp is malformed', issue(key, { exp: 'hunter2' })],
  ['JWT: not valid yet (nbf)', issue(key, { nbf: soon, exp: soon })],
  ['JWT: another issuer (iss)', issue(key, { iss: 'hunter2' })],
  ['JWT: iss is missing', issue(key, { iss: undefined })],
  ['JWT: for another audience (aud)', issue(key, { aud: ['hunter2'] })],
  ['JWT: aud is missing', issue(key, { aud: undefined })],
  ['JWT: its sub is not a text of 1–255 characters', issue(key, { sub: 'hunter2'.repeat(40) })],
  ['JWT: its typ is not that of an access token', withHeader({ typ: 'hunter2' })],
  ['JWT: the issuer has no such key (kid, alg)', withHeader({ kid: 'hunter2' })],
  ['JWT: it names no key (kid), and several keys of the issuer match', withHeader({ kid: undefined })],
  ['JWT: its algorithm (alg) is not accepted', withHeader({ alg: 'HS256' })],
  ['JWT: an unknown extension (crit)', withHeader({ crit: ['hunter2'], hunter2: 1 })],
  ['JWT: wrong signature', issue(stranger)],
  ["JWT: the issuer's key cannot be used: too short, or not a public one", issue(short)],
  ['JWT: malformed', `hunter2${issue(key)}`],
  ['JWT: malformed', signed(key, headerFor(key), 'hunter2')],
  ['JWT: its signature is not in plain Base64url', `${issue(key)}=`],
  ['JWT: its signature is not in plain Base64url', issue(key).replace(/[^.]+$/, '')],
  ['JWT: its typ is not that of an access token', withHeader({ typ: 5 })],
  ['JWT: exp or nbf is not a time', signed(key, headerFor(key), endless)],
  ['not a JWT of three parts', 'hunter2'],
  ['not a JWT of three parts', '.hunter2.hunter2'],
  ['not a JWT of three parts', 'hunter2.hunter2'],
  ['not a JWT of three parts', `${issue(key)}.hunter2`],
  ['JWT: longer than 8192 characters', 'hunter2'.repeat(2_000)],
])('%s', async (reason, token) => {
  expect(await verifier.verify(token)).toEqual({ accepted: false, reason });
});

test('if opaque tokens are accepted, too, both reasons are reported', async () => {
  const both = anyVerifier([digestVerifier([{ digests: parseTokenList('token-of-the-tests') }]), verifier]);
  expect(await both.verify(issue(key, { exp: 1 }))).toEqual({
    accepted: false,
    reason: 'not a listed token; JWT: expired (exp)',
  });
  expect(await both.verify('"token-of-the-tests"')).toEqual({
    accepted: false,
    reason: 'not an opaque token: expected 16–1024 characters of b64token; not a JWT of three parts',
  });
});

function shortKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' };
  return { alg: 'RS256', kid: 'short', publicKey, privateKey, jwk };
}
