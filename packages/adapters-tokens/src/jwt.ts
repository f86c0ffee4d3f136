import { type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { errors, type JWTVerifyResult, jwtVerify } from 'jose';
import { defaultJwtAlgorithms, type JwtAlgorithm } from './jwt-settings.ts';
import type { KeySource } from './keys.ts';

export { type JwksUrlOptions, type KeySource, openJwksFile, openJwksUrl } from './keys.ts';

/** The options of {@link jwtVerifier}. */
export interface JwtVerifierOptions {
  /** The issuer's public keys. */
  readonly keys: KeySource;
  /** The required `iss`. */
  readonly issuer: string;
  /** The audience that `aud` must equal or contain. */
  readonly audience: string;
  /** The accepted signature algorithms, at least one; {@link defaultJwtAlgorithms} by default. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** The maximum clock skew of the issuer in seconds, up to `MAX_CLOCK_SKEW_SECONDS`; 60 by default. */
  readonly clockSkewSeconds?: number;
}

/** 30 s, because its key may be withdrawn: how long an accepted token is remembered. 10,000 tokens of 2 KB take 25 MB. */
const REMEMBERED = { ms: 30_000, max: 10_000, maxLength: 2_048 };

/**
 * Creates a verifier of JWTs that were issued for this service (RFC 9068 section 4, RFC 8725): signed by a key of the issuer
 * with an accepted algorithm; `iss`, `aud`, `exp` and `sub` present and valid; `nbf`, if present, in the past. The subject is
 * `jwt:`, the issuer as a JSON string, `:` and `sub`, because `sub` is unique only per issuer (RFC 7519 section 4.1.2).
 *
 * `typ` may be `at+jwt`, `JWT` or absent, because many issuers omit `at+jwt`. Keys in a token are ignored.
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { keys, issuer, audience, clockSkewSeconds = 60 } = options;
  const algorithms = [...(options.algorithms ?? defaultJwtAlgorithms)];
  const rules = { issuer, audience, algorithms, clockTolerance: clockSkewSeconds, requiredClaims: ['exp', 'sub'] };
  /** By token, until a time in milliseconds since 1970. Strangers cannot evict others, because only accepted ones are remembered. */
  const remembered = new Map<string, { readonly subject: string; readonly until: number }>();

  return {
    async verify(token) {
      const known = remembered.get(token);
      if (known && Date.now() < known.until) return { accepted: true, subject: known.subject };
      try {
        const { sub, exp } = validateClaims(await jwtVerify(token, keys.find, rules), token);
        const subject = `jwt:${JSON.stringify(issuer)}:${sub}`;
        if (remembered.size >= REMEMBERED.max) remembered.clear();
        if (token.length <= REMEMBERED.maxLength)
          remembered.set(token, { subject, until: Math.min(exp * 1_000, Date.now() + REMEMBERED.ms) });
        return { accepted: true, subject };
      } catch (error) {
        if (VerifierUnavailable.is(error)) throw error;
        // Other errors mean a faulty token or an unusable key of the issuer. A client that cannot be verified is refused.
        return { accepted: false, reason: `JWT: ${explainRefusal(error)}` };
      }
    },
  };
}

/** The reason for the log. One message of jose contains text of the token: the one about an unknown extension. */
function explainRefusal(error: unknown): string {
  if (error instanceof errors.JOSENotSupported) return 'an unknown extension (crit)';
  return error instanceof errors.JOSEError ? error.message : "the issuer's key is too short, or not a public one";
}

/** Checks what jose does not. Media types are case-insensitive and may lack `application/` (RFC 7515 section 4.1.9). */
function validateClaims({ protectedHeader: { typ = 'JWT' }, payload }: JWTVerifyResult, token: string) {
  const { sub, exp = Number.NaN } = payload;
  if (typeof typ !== 'string' || !/^(application\/)?(at\+)?jwt$/i.test(typ))
    throw new errors.JWTInvalid('its typ is not that of an access token');
  // OpenID Connect Core section 2.
  if (typeof sub !== 'string' || sub === '' || sub.length > 255)
    throw new errors.JWTInvalid('its sub is not a text of 1–255 characters');
  // JSON.parse reads 1e999 as Infinity: such a token would never expire.
  if (!Number.isFinite(exp)) throw new errors.JWTInvalid('exp is not a time');
  // The signature is not itself signed, so it must be canonical (RFC 4648 section 3.5), which jose does not check.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    throw new errors.JWTInvalid('its signature is not in plain Base64url');
  return { sub, exp };
}
