import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { JwtAlgorithm } from '@plant-store/adapters-tokens';

/** A key pair, with the public key as in a key set. Made with Node alone, since jose is under test. */
export interface SigningKey {
  readonly alg: JwtAlgorithm;
  readonly kid: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export function newKey(alg: JwtAlgorithm = 'ES256', kid: string = randomUUID()): SigningKey {
  const { publicKey, privateKey } = keyPairFor(alg);
  return { alg, kid, publicKey, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** The key set that these keys are published in (RFC 7517 section 5). */
export function keySetOf(...keys: readonly SigningKey[]): string {
  return JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
}

/** The same by mistake, with the private keys. */
export function privateKeySetOf(...keys: readonly SigningKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ jwk, privateKey }) => ({ ...privateKey.export({ format: 'jwk' }), ...jwk })),
  });
}

/** A header, a payload and their signature: an object is written as JSON, a text as it is. */
export function signed(key: SigningKey, header: object | string, payload: object | string): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${signatureOf(key, input).toString('base64url')}`;
}

/** The header that the issuer's tokens have. */
export function headerFor({ alg, kid }: SigningKey): { alg: string; kid: string; typ: string } {
  return { alg, kid, typ: 'at+jwt' };
}

export function encoded(part: object | string | Buffer): string {
  const isText = typeof part === 'string' || Buffer.isBuffer(part);
  return Buffer.from(isText ? part : JSON.stringify(part)).toString('base64url');
}

function keyPairFor(alg: JwtAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' });
  if (alg === 'ES512') return generateKeyPairSync('ec', { namedCurve: 'P-521' });
  if (alg === 'EdDSA' || alg === 'Ed25519') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

function signatureOf({ alg, privateKey: key }: SigningKey, input: string): Buffer {
  const data = Buffer.from(input);
  if (alg === 'EdDSA' || alg === 'Ed25519') return sign(null, data, key);
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
  if (alg.startsWith('RS')) return sign(hash, data, key);
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  return sign(hash, data, { key, padding, saltLength });
}
