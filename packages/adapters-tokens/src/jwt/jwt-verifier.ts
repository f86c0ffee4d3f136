import { type AcceptedToken, type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { sha256 } from '../opaque-tokens.ts';
import type { KeySource } from './key-set.ts';
import { defaultJwtAlgorithms, type JwtAlgorithm } from './settings.ts';

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
  /** The maximum number of cached tokens; 10,000 by default, which take up to 5 MB. */
  readonly rememberedTokens?: number;
}

/** 255 characters (OpenID Connect Core section 2). The subject is cached, and is a key of the rate limit. */
const MAX_SUBJECT_LENGTH = 255;

/** The maximum keys tried for a token that matches several: more than an issuer has of one kind while it rotates them. */
const MAX_CHECKS_PER_TOKEN = 16;

/** The maximum tokens of unknown keys that wait for an issuer that is slow: each takes some 15 kB, and anybody can send them. */
const MAX_WAITING = 4_000;

/**
 * Creates a verifier of JWTs that were issued for this service (RFC 9068 section 4, RFC 8725): signed by a key of the issuer
 * with an accepted algorithm; `iss`, `aud`, `exp` and `sub` present and valid; `nbf`, if present, in the past. The subject is
 * `jwt:`, the issuer as a JSON string, `:` and `sub`, because `sub` is unique only per issuer (RFC 7519 section 4.1.2).
 *
 * `typ` may be `at+jwt`, `JWT` or absent, because many issuers omit `at+jwt`. Other types are refused. Keys are never taken
 * from the token or from a place that it names (`jwk`, `jku`, `x5c`, `x5u`).
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { keys, issuer, audience, clockSkewSeconds = 60, rememberedTokens = 10_000 } = options;
  const algorithms = [...(options.algorithms ?? defaultJwtAlgorithms)];
  const expectedClaims: Partial<Record<string, string>> = { iss: issuer, aud: audience };
  const rules = { issuer, audience, algorithms, clockTolerance: clockSkewSeconds, requiredClaims: ['exp', 'sub'] };
  /** Accepted tokens by digest. Forged tokens cannot evict them, because only accepted tokens are cached. */
  let cache = new Map<string, Required<AcceptedToken>>();
  let cachedFor: JWTVerifyGetKey | undefined;
  /** One check at a time: a token that waits takes less memory than one that is checked, and all cores are not faster than one. */
  let lastCheck: Promise<unknown> = Promise.resolve();

  /** Tokens that wait for new keys. */
  let waiting = 0;

  return {
    async verify(token): Promise<TokenVerdict> {
      const digest = sha256(token).toString('base64');
      const cached = cache.get(digest);
      return cached?.isCurrent() ? cached : verifyUncached(token, digest);
    },
  };

  async function verifyUncached(token: string, digest: string): Promise<TokenVerdict> {
    let keySet: JWTVerifyGetKey | undefined;
    const find: JWTVerifyGetKey = async (...header) => {
      keySet = keys.current;
      if (!keySet) throw new errors.JWKSNoMatchingKey();
      return keySet(...header);
    };
    /** Tries every key if several match, because the token names none or they share a name. */
    const verifyWithKnownKeys = async () => {
      try {
        return await jwtVerify(token, find, rules);
      } catch (error) {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        let checks = 0;
        for await (const key of error) {
          if (checks === MAX_CHECKS_PER_TOKEN) break;
          checks += 1;
          const jwt = await jwtVerify(token, key, rules).catch(rethrowUnlessKeyMismatch);
          if (jwt) return jwt;
        }
        throw new errors.JWSSignatureVerificationFailed();
      }
    };

    try {
      const jwt = await inTurn(verifyWithKnownKeys).catch(async (error: unknown) => {
        rethrowUnlessKeyMismatch(error);
        await renewKeys();
        if (keys.current === keySet) throw error;
        return inTurn(verifyWithKnownKeys);
      });
      const { sub, exp } = validClaims(jwt, token);
      const verdict = {
        accepted: true,
        subject: `jwt:${JSON.stringify(issuer)}:${sub}`,
        isCurrent: currentUntil(exp, keys, keySet),
      } as const;
      // Clears the cache when the keys change, because one may have been withdrawn.
      if (keySet !== cachedFor) [cache, cachedFor] = [new Map(), keySet];
      cache.set(digest, verdict);
      const [oldest = digest] = cache.keys();
      if (cache.size > rememberedTokens) cache.delete(oldest);
      return verdict;
    } catch (error) {
      if (VerifierUnavailable.is(error)) throw error;
      // Any other error means a faulty token or an unusable key of the issuer. A client that cannot be verified is refused.
      return { accepted: false, reason: `JWT: ${refusalReason(error)}` };
    }
  }

  async function renewKeys(): Promise<void> {
    if (waiting === MAX_WAITING) throw new VerifierUnavailable('too many tokens wait for the keys of the issuer');
    waiting += 1;
    try {
      await keys.renew?.();
    } finally {
      waiting -= 1;
    }
  }

  function inTurn<Result>(check: () => Promise<Result>): Promise<Result> {
    const result = lastCheck.then(check);
    lastCheck = result.catch(() => {});
    return result;
  }

  /** The reason for the log. One message of jose contains text of the token: the one about an unknown extension. */
  function refusalReason(error: unknown): string {
    if (error instanceof errors.JOSENotSupported) return 'an unknown extension (crit)';
    if (!(error instanceof errors.JOSEError)) return "the issuer's key cannot be used: too short, or not a public one";
    const expected = error instanceof errors.JWTClaimValidationFailed ? expectedClaims[error.claim] : undefined;
    // The expected value shows the operator a mistyped setting.
    return expected === undefined ? error.message : `${error.message}, expected ${JSON.stringify(expected)}`;
  }
}

/** A function of its own, because a closure would keep the token, and 10,000 long ones take 61 MB. */
function currentUntil(exp: number, keys: KeySource, keySet: JWTVerifyGetKey | undefined): () => boolean {
  return () => keys.current === keySet && Date.now() < exp * 1_000;
}

const keyMismatches = [errors.JWKSNoMatchingKey, errors.JWSSignatureVerificationFailed, TypeError];

/** Rethrows errors that another key cannot fix. A TypeError means that the key is too short. */
function rethrowUnlessKeyMismatch(error: unknown): void {
  if (!keyMismatches.some((type) => error instanceof type)) throw error;
}

/** Checks what jose does not. Media types are case-insensitive and may lack `application/` (RFC 7515 section 4.1.9). */
function validClaims({ protectedHeader: { typ = 'JWT' }, payload }: JWTVerifyResult, token: string) {
  const { sub, exp = Number.NaN, nbf = 0 } = payload;
  if (typeof typ !== 'string' || !/^(application\/)?(at\+)?jwt$/i.test(typ))
    throw new errors.JWTInvalid('its typ is not that of an access token');
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    throw new errors.JWTInvalid(`its sub is not a text of 1–${MAX_SUBJECT_LENGTH} characters`);
  // JSON.parse reads 1e999 as Infinity: such a token would never expire.
  if (!Number.isFinite(exp) || !Number.isFinite(nbf)) throw new errors.JWTInvalid('exp or nbf is not a time');
  // The signature is not itself signed, so it must be canonical (RFC 4648 section 3.5): jose accepts padding, white space and
  // unused bits in the last character.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    throw new errors.JWTInvalid('its signature is not in plain Base64url');
  return { sub, exp };
}
