import { createHmac } from 'node:crypto';
import {
  audience,
  claims,
  encoded,
  headerFor,
  issue,
  issuer,
  makeKeySet,
  newKey,
  nowInSeconds,
  signed,
} from './jwts.ts';

export const rsa = newKey('RS256', 'rsa');
export const ec = newKey('ES256', 'ec');
const short = newKey('RS256', 'short', 1_024);

/** What the issuer publishes, an unusable key by mistake. */
export const keySet = makeKeySet(rsa, ec, newKey('ES256', 'twin'), short, {
  jwk: { ...ec.jwk, kid: 'enc', use: 'enc' },
});

/** The attacker's key, with the name of a trusted one. */
const stranger = newKey('ES256', 'ec');

const good = issue(ec);
const [head = '', payload = '', signature = ''] = good.split('.');
const withHeader = (others: object, key = ec) => signed(key, { ...headerFor(key), ...others }, claims());
const withHmac = (key: string, kid: string) => {
  const input = `${encoded({ alg: 'HS256', kid })}.${encoded(claims())}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
};
/** Both objects as one JSON text; members of the second one are duplicates. */
const twice = (first: object, second: object) =>
  `${JSON.stringify(first).slice(0, -1)},${JSON.stringify(second).slice(1)}`;
const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString();
/** The same bytes: the last of 86 characters, a digit of 64, has four bits that no byte uses. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const otherUnusedBits = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.slice(-1)) + 1];

/** Tokens that a verifier with {@link keySet} refuses. A way around a verifier first becomes a line here. */
export const refusedTokens: readonly string[] = [
  ...[{ exp: 1 }, { exp: undefined }, { nbf: nowInSeconds() + 600 }].map((others) => issue(ec, others)),
  signed(ec, headerFor(ec), twice(claims(), { exp: 1 })),
  // JSON.parse reads it as Infinity.
  signed(ec, headerFor(ec), JSON.stringify(claims({ exp: 'X' })).replace('"X"', '1e999')),
  ...[undefined, 'https://stranger.example/', issuer.slice(0, -1), issuer.toUpperCase(), [issuer]].map((iss) =>
    issue(ec, { iss }),
  ),
  ...[undefined, 'https://animals.example', ['https://animals.example'], `${audience}/`, { [audience]: true }].map(
    (aud) => issue(ec, { aud }),
  ),
  ...[undefined, '', 7, {}, 'x'.repeat(256)].map((sub) => issue(ec, { sub })),
  ...['logout+jwt', 'JOSE', '', 'at+jwt ', 'text/at+jwt', null, ['at+jwt']].map((typ) => withHeader({ typ })),
  ...['hunter2', '__proto__', '', 'EC', 'ec\u0000'].map((kid) => withHeader({ kid }, stranger)),
  ...[rsa.kid, 'enc'].map((kid) => withHeader({ kid })),
  // The same key and the same strength, another padding.
  signed({ ...rsa, alg: 'PS256' }, { ...headerFor(rsa), alg: 'PS256' }, claims()),
  ...['none', 'None', 'none\u0000'].map((alg) => `${encoded({ ...headerFor(ec), alg })}.${payload}.${signature}`),
  // A public key as the secret of a message authentication code.
  ...[pem, pem.trim(), JSON.stringify(rsa.jwk), ''].map((key) => withHmac(key, rsa.kid)),
  signed(ec, twice(headerFor(ec), { alg: 'none' }), claims()),
  ...[{ crit: ['hunter2'], hunter2: 1 }, { crit: ['exp'] }].map((others) => withHeader(others)),
  // A key in the token is not used.
  ...[{ kid: 'unknown', jwk: stranger.jwk }, { jwk: stranger.jwk }, { kid: undefined }, {}].map((others) =>
    withHeader(others, stranger),
  ),
  `${head}.${encoded(claims({ sub: 'admin' }))}.${signature}`,
  `${encoded({ ...headerFor(ec), more: 1 })}.${payload}.${signature}`,
  ...[0, 63, 64].map((length) => `${head}.${payload}.${Buffer.alloc(length).toString('base64url')}`),
  issue(short),
  ...[`${signature}\n`, ` ${signature}`, otherUnusedBits].map((other) => `${head}.${payload}.${other}`),
  ...['hunter2.hunter2', `${good}.`],
];
