import { createHmac } from 'node:crypto';
import { audience, claims, encoded, headerFor, issue, issuer, keySetOf, newKey, nowInSeconds, signed } from './jwts.ts';

export const rsa = newKey('RS256', 'rsa');
export const ec = newKey('ES256', 'ec');
const short = newKey('RS256', 'short', 1_024);

/** What the issuer publishes, an unusable key by mistake. */
export const keySet = keySetOf(rsa, ec, newKey('ES256', 'twin'), short, { jwk: { ...ec.jwk, kid: 'enc', use: 'enc' } });

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
const withNumber = (name: string, number: string) =>
  signed(ec, headerFor(ec), JSON.stringify(claims({ [name]: 'X' })).replace('"X"', number));
const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString();
/** The same bytes: the last of 86 characters, a digit of 64, has four bits that no byte uses. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const otherUnusedBits = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.slice(-1)) + 1];

/** Tokens that a verifier with {@link keySet} refuses, by the reason that it gives. */
export const refusedTokens: Readonly<Record<string, readonly string[]>> = {
  'JWT: "exp" claim timestamp check failed': [
    issue(ec, { exp: 1 }),
    signed(ec, headerFor(ec), twice(claims(), { exp: 1 })),
  ],
  'JWT: missing required "exp" claim': [issue(ec, { exp: undefined })],
  'JWT: exp or nbf is not a time': [withNumber('exp', '1e999'), withNumber('nbf', '-1e999')],
  'JWT: "nbf" claim timestamp check failed': [issue(ec, { nbf: nowInSeconds() + 600 })],
  'JWT: unexpected "iss" claim value, expected "https://issuer.example/"': [
    ...['https://stranger.example/', issuer.slice(0, -1), issuer.toUpperCase(), [issuer]],
  ].map((iss) => issue(ec, { iss })),
  'JWT: missing required "iss" claim, expected "https://issuer.example/"': [issue(ec, { iss: undefined })],
  'JWT: unexpected "aud" claim value, expected "https://plants.example"': [
    ...['https://animals.example', ['https://animals.example'], `${audience}/`, { [audience]: true }],
  ].map((aud) => issue(ec, { aud })),
  'JWT: missing required "aud" claim, expected "https://plants.example"': [issue(ec, { aud: undefined })],
  'JWT: missing required "sub" claim': [issue(ec, { sub: undefined })],
  'JWT: its sub is not a text of 1–255 characters': ['', 7, {}, 'x'.repeat(256)].map((sub) => issue(ec, { sub })),
  'JWT: its typ is not that of an access token': [
    ...['logout+jwt', 'JOSE', '', 'at+jwt ', 'text/at+jwt', null, ['at+jwt']],
  ].map((typ) => withHeader({ typ })),
  'JWT: no applicable key found in the JSON Web Key Set': [
    ...['hunter2', '__proto__', '', 'EC', 'ec\u0000'].map((kid) => withHeader({ kid }, stranger)),
    ...[rsa.kid, 'enc'].map((kid) => withHeader({ kid })),
    // The same key and the same strength, another padding.
    signed({ ...rsa, alg: 'PS256' }, { ...headerFor(rsa), alg: 'PS256' }, claims()),
    // A key in the token is not used.
    withHeader({ kid: 'unknown', jwk: stranger.jwk }, stranger),
  ],
  'JWT: "alg" (Algorithm) Header Parameter value not allowed': [
    ...['none', 'None', 'none\u0000'].map((alg) => `${encoded({ ...headerFor(ec), alg })}.${payload}.${signature}`),
    // A public key as the secret of a message authentication code.
    ...[pem, pem.trim(), JSON.stringify(rsa.jwk), ''].map((key) => withHmac(key, rsa.kid)),
    signed(ec, twice(headerFor(ec), { alg: 'none' }), claims()),
  ],
  'JWT: an unknown extension (crit)': [withHeader({ crit: ['hunter2'], hunter2: 1 }), withHeader({ crit: ['exp'] })],
  'JWT: signature verification failed': [
    issue(stranger),
    withHeader({ kid: undefined }, stranger),
    withHeader({ jwk: stranger.jwk }, stranger),
    `${head}.${encoded(claims({ sub: 'admin' }))}.${signature}`,
    `${encoded({ ...headerFor(ec), more: 1 })}.${payload}.${signature}`,
    ...[0, 63, 64].map((length) => `${head}.${payload}.${Buffer.alloc(length).toString('base64url')}`),
  ],
  "JWT: the issuer's key cannot be used: too short, or not a public one": [issue(short)],
  'JWT: its signature is not in plain Base64url': [
    ...[`${signature}\n`, ` ${signature}`, otherUnusedBits].map((other) => `${head}.${payload}.${other}`),
  ],
  'JWT: Invalid Compact JWS': ['hunter2.hunter2', `${good}.`],
};
