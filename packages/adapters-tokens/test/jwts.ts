import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { JwtAlgorithm } from '@plant-store/adapters-tokens';
import { type JwtVerifierOptions, jwtVerifier } from '@plant-store/adapters-tokens/jwt';
import { createLocalJWKSet } from 'jose';

export const issuer = 'https://issuer.example/';
export const audience = 'https://plants.example';

/** A key pair, with the public key as in a key set. Made with Node alone, since jose is under test. */
export interface SigningKey {
  readonly alg: JwtAlgorithm;
  readonly kid: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const curves: Partial<Record<JwtAlgorithm, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

const makeRsaPair = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
/** Made once, because that takes a quarter of a second. */
const rsaPair = makeRsaPair(2_048);

/** A key of its own for each call. Those of RSA share a pair of 2,048 bits under their own names, unless fewer are wanted. */
export function newKey(alg: JwtAlgorithm, kid: string = randomUUID(), modulusLength = 2_048): SigningKey {
  const namedCurve = curves[alg];
  let pair = alg.startsWith('Ed') ? generateKeyPairSync('ed25519') : undefined;
  if (namedCurve) pair = generateKeyPairSync('ec', { namedCurve });
  const { publicKey, privateKey } = pair ?? (modulusLength === 2_048 ? rsaPair : makeRsaPair(modulusLength));
  return { alg, kid, publicKey, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** The key set that these keys are published in (RFC 7517 section 5). */
export function makeKeySet(...keys: readonly Pick<SigningKey, 'jwk'>[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** A verifier that knows the keys of this key set. */
export function verifierWith(set: string, options: Partial<JwtVerifierOptions> = {}) {
  return jwtVerifier({
    keys: { find: createLocalJWKSet(JSON.parse(set)), close: () => {} },
    issuer,
    audience,
    ...options,
  });
}

/** Claims that are accepted, with these in place of them; one that is undefined is left out. */
export function claims(others: object = {}): Record<string, unknown> {
  return { iss: issuer, aud: audience, sub: 'gardener', exp: nowInSeconds() + 86_400, ...others };
}

/** A token that is accepted, unless these claims keep it from that. */
export function issue(key: SigningKey, others: object = {}): string {
  return signed(key, headerFor(key), claims(others));
}

/** The header that the issuer's tokens have. */
export function headerFor({ alg, kid }: SigningKey): { alg: string; kid: string; typ: string } {
  return { alg, kid, typ: 'at+jwt' };
}

/** A header, a payload and their signature: an object is written as JSON, a text as it is. */
export function signed(
  { alg, privateKey: key }: SigningKey,
  header: object | string,
  payload: object | string,
): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const hash = alg.startsWith('Ed') ? null : `sha${alg.slice(2)}`;
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  const pss = alg.startsWith('PS') ? { padding, saltLength } : {};
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363', ...pss }).toString('base64url')}`;
}

export function encoded(part: object | string): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** As RFC 7519 counts: seconds since 1970. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
