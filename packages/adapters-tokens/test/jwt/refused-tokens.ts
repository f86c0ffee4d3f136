import { createHmac, generateKeyPairSync } from 'node:crypto';
import { EncryptJWT } from 'jose';
import { audience, claims, issue, issuer, nowInSeconds } from './fixed-verifier.ts';
import { encoded, headerFor, newKey, type SigningKey, signed } from './signing-key.ts';

export const rsa: SigningKey = newKey('RS256', 'rsa');
export const ec: SigningKey = newKey('ES256', 'ec');
const short: SigningKey = { ...rsa, kid: 'short', ...shortKeyPair('short') };
const forEncryption: SigningKey = { ...ec, kid: 'enc', jwk: { ...ec.jwk, kid: 'enc', use: 'enc' } };
const secret = Buffer.alloc(32, 7);

/** What the issuer publishes, a secret and an unusable key by mistake. */
export const keySet: string = JSON.stringify({
  keys: [
    ...[rsa, ec, newKey('ES256', 'twin'), short, forEncryption].map(({ jwk }) => jwk),
    { kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'secret' },
  ],
});

/** The attacker's key, with the name of a trusted one. */
const stranger = newKey('ES256', 'ec');

const good = issue(ec);
const [head = '', payload = '', signature = ''] = good.split('.');
const withHeader = (others: object, key = ec) => signed(key, { ...headerFor(key), ...others }, claims());
const withHmac = (key: string | Buffer, kid: string) => {
  const input = `${encoded({ alg: 'HS256', kid })}.${encoded(claims())}`;
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
};
/** Both objects as one JSON text; members of the second one are duplicates. */
const twice = (first: object, second: object) =>
  `${JSON.stringify(first).slice(0, -1)},${JSON.stringify(second).slice(1)}`;
const withNumber = (name: string, number: string) =>
  signed(ec, headerFor(ec), JSON.stringify(claims({ [name]: 'X' })).replace('"X"', number));
const pem = rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString();
const jwe = await new EncryptJWT(claims())
  .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: rsa.kid })
  .encrypt(rsa.publicKey);

/** Tokens that a verifier with {@link keySet} refuses, by the reason that it gives. */
export const refusedTokens: Readonly<Record<string, readonly string[]>> = {
  'JWT: "exp" claim timestamp check failed': [
    issue(ec, { exp: 1 }),
    issue(ec, { exp: -1 }),
    signed(ec, headerFor(ec), twice(claims(), { exp: 1 })),
  ],
  'JWT: missing required "exp" claim': [issue(ec, { exp: undefined })],
  'JWT: "exp" claim must be a number': [issue(ec, { exp: '9999999999' })],
  'JWT: exp or nbf is not a time': [withNumber('exp', '1e999'), withNumber('nbf', '-1e999')],
  'JWT: "nbf" claim timestamp check failed': [issue(ec, { nbf: nowInSeconds() + 600, exp: nowInSeconds() + 900 })],
  'JWT: "nbf" claim must be a number': [issue(ec, { nbf: '0' }), issue(ec, { nbf: null })],
  'JWT: unexpected "iss" claim value, expected "https://issuer.example/"': [
    ...['https://stranger.example/', issuer.slice(0, -1), `${issuer}x`, issuer.toUpperCase(), [issuer], null],
  ].map((iss) => issue(ec, { iss })),
  'JWT: missing required "iss" claim, expected "https://issuer.example/"': [issue(ec, { iss: undefined })],
  'JWT: unexpected "aud" claim value, expected "https://plants.example"': [
    ...['https://animals.example', ['https://animals.example'], `${audience}/`, audience.slice(0, -1), [[audience]]],
    { [audience]: true },
  ].map((aud) => issue(ec, { aud })),
  'JWT: missing required "aud" claim, expected "https://plants.example"': [issue(ec, { aud: undefined })],
  'JWT: missing required "sub" claim': [issue(ec, { sub: undefined })],
  'JWT: its sub is not a text of 1–255 characters': ['', 7, {}, 'x'.repeat(256)].map((sub) => issue(ec, { sub })),
  'JWT: its typ is not that of an access token': [
    ...['logout+jwt', 'secevent+jwt', 'dpop+jwt', 'JOSE', '', 'at+jwt ', 'text/at+jwt', null, 7, ['at+jwt']],
  ].map((typ) => withHeader({ typ })),
  'JWT: no applicable key found in the JSON Web Key Set': [
    ...['hunter2', '../../../../../../dev/null', "' OR '1'='1", '__proto__', 'constructor', '', 'EC', 'ec\u0000'].map(
      (kid) => withHeader({ kid }, stranger),
    ),
    withHeader({ kid: rsa.kid }),
    withHeader({ kid: forEncryption.kid }),
    // The same key and the same strength, another padding.
    signed({ ...rsa, alg: 'PS256' }, { ...headerFor(rsa), alg: 'PS256' }, claims()),
    signed(newKey('ES384', 'ec'), { alg: 'ES384', kid: 'ec' }, claims()),
    // A key in the token is not used.
    ...['unknown', rsa.kid].map((kid) => withHeader({ kid, jwk: stranger.jwk }, stranger)),
  ],
  'JWT: "alg" (Algorithm) Header Parameter value not allowed': [
    ...['none', 'None', ' none', 'none\u0000'].flatMap((alg) => [
      withHeader({ alg }),
      `${encoded({ ...headerFor(ec), alg })}.${payload}.${signature}`,
    ]),
    // A public key as the secret of a message authentication code.
    ...[pem, pem.trim(), rsa.publicKey.export({ format: 'der', type: 'spki' }), JSON.stringify(rsa.jwk), ''].map(
      (key) => withHmac(key, rsa.kid),
    ),
    withHmac(secret, 'secret'),
    signed(ec, twice(headerFor(ec), { alg: 'none' }), claims()),
    jwe.split('.').slice(0, 3).join('.'),
  ],
  'JWT: an unknown extension (crit)': [withHeader({ crit: ['hunter2'], hunter2: 1 }), withHeader({ crit: ['exp'] })],
  'JWT: signature verification failed': [
    withHeader({ kid: undefined }, stranger),
    `${head}.${payload}.`,
    issue(stranger),
    withHeader({ jwk: stranger.jwk }, stranger),
    `${head}.${encoded(claims({ sub: 'admin' }))}.${signature}`,
    `${encoded({ ...headerFor(ec), more: 1 })}.${payload}.${signature}`,
    ...[Buffer.alloc(64), Buffer.alloc(63), Buffer.alloc(64, 0xff)].map(
      (forged) => `${head}.${payload}.${forged.toString('base64url')}`,
    ),
  ],
  "JWT: the issuer's key cannot be used: too short, or not a public one": [issue(short)],
  'JWT: JWS Protected Header is invalid': [`hunter2${good}`, `.${payload}.${signature}`],
  'JWT: JWT Claims Set must be a top-level JSON object': [
    ...['hunter2', '[]', 'null', '"text"', ''].map((text) => signed(ec, headerFor(ec), text)),
  ],
  'JWT: "crit" (Critical) Header Parameter MUST be an array of non-empty strings when present': [
    ...[[], 'exp'].map((crit) => withHeader({ crit })),
  ],
  'JWT: JWTs MUST NOT use unencoded payload': [withHeader({ crit: ['b64'], b64: false })],
  'JWT: JWS "alg" (Algorithm) Header Parameter missing or invalid': [
    ...['', null, undefined, 0, ['ES256']].map((alg) => withHeader({ alg })),
  ],
  'JWT: Failed to base64url decode the signature': [`${good}=`],
  'JWT: its signature is not in plain Base64url': [
    ...[`${signature}\n`, ` ${signature}`, withOtherUnusedBits(signature)].map(
      (other) => `${head}.${payload}.${other}`,
    ),
  ],
  'JWT: Invalid Compact JWS': [
    ...['hunter2', 'hunter2'.repeat(2_000), 'hunter2.hunter2', `${good}.hunter2`, `${good}.`, `.${good}`],
    JSON.stringify({ protected: head, payload, signature }),
    jwe,
  ],
};

/** RSA with 1,024 bits. */
export function shortKeyPair(kid: string) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  return { publicKey, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' } };
}

/** The same bytes: the last of 86 characters has four bits that no byte uses. */
function withOtherUnusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.slice(-1)) + 1];
}
