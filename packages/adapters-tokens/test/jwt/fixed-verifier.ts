import { type JwtVerifierOptions, jwtVerifier } from '@plant-store/adapters-tokens/jwt';
import type { TokenVerifier } from '@plant-store/domain';
import { parseKeySet } from '../../src/jwt/key-set.ts';
import { headerFor, keySetOf, type SigningKey, signed } from './signing-key.ts';

export const issuer = 'https://issuer.example/';
export const audience = 'https://plants.example';

/** A verifier that knows these keys, or the keys of this key set, for ever. */
export function verifierWith(
  keys: readonly SigningKey[] | string,
  options: Partial<JwtVerifierOptions> = {},
): TokenVerifier {
  const current = parseKeySet(typeof keys === 'string' ? keys : keySetOf(...keys));
  return jwtVerifier({ keys: { current, close: () => {} }, issuer, audience, ...options });
}

/** Claims that are accepted, with these in place of them; one that is undefined is left out. */
export function claims(others: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const now = nowInSeconds();
  return { iss: issuer, aud: audience, sub: 'gardener', iat: now, exp: now + 86_400, ...others };
}

/** A token that is accepted, unless these claims keep it from that. */
export function issue(key: SigningKey, others: Readonly<Record<string, unknown>> = {}): string {
  return signed(key, headerFor(key), claims(others));
}

/** The subject of the tokens of the issuer with this `sub`. */
export function subjectOf(sub: string): string {
  return `jwt:"https://issuer.example/":${sub}`;
}

/** As RFC 7519 counts: seconds since 1970. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}
