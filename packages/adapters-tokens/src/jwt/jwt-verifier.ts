import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { sha256 } from '../digest/token-entry.ts';
import { defaultJwtAlgorithms, type JwtAlgorithm } from './accepted-jwts.ts';
import type { KeySource } from './key-set.ts';

/** Which JWTs are accepted. */
export interface JwtVerifierOptions {
  /** The public keys of the issuer. */
  readonly keys: KeySource;
  /** What `iss` has to be, exactly. */
  readonly issuer: string;
  /** What `aud` has to be, or has to contain. */
  readonly audience: string;
  /** The signatures that are accepted, at least one; {@link defaultJwtAlgorithms} by default. */
  readonly algorithms?: readonly JwtAlgorithm[];
  /** How far the issuer's clock may be from ours, at most `MAX_CLOCK_SKEW_SECONDS`; 60 by default. */
  readonly clockSkewSeconds?: number;
  /** How many verified tokens are cached; 10,000 by default, which take up to 5 MB. */
  readonly rememberedTokens?: number;
}

/** 255 characters (OpenID Connect Core section 2): it is cached, and a key of the rate limit. */
const MAX_SUBJECT_LENGTH = 255;

/** For a token that fits several keys: more than an issuer has of one kind while it rotates them, before and after that. */
const MAX_CHECKS_PER_TOKEN = 16;

/**
 * A check of a signature takes up to 1.1 ms of CPU (ES512; 0.6 ms with ES384, 0.1 ms with ES256), so forged tokens take a
 * fifth of a core at most. Accepted tokens do not count, because after a restart the tokens of all clients are new.
 */
const MAX_FAILED_CHECKS_PER_SECOND = 200;

/**
 * Accepts JWTs that were issued for this service, as RFC 9068 section 4 and RFC 8725 have it: signed by a key of the
 * issuer with an allowed algorithm; `iss`, `aud`, `exp` and `sub` present and valid; `nbf` past, if there is one.
 * Their subject is `jwt:`, the issuer as a JSON text, `:` and `sub`, which is unique only together with its issuer (RFC 7519
 * section 4.1.2): it equals no subject of another issuer or of another kind of token.
 *
 * `typ` may be `at+jwt`, `JWT` or absent, since many issuers do not send the first one; other types of JWT are refused.
 * No key is ever taken from the token, or from where the token says (`jwk`, `jku`, `x5c`, `x5u`).
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { keys, issuer, audience, clockSkewSeconds = 60, rememberedTokens = 10_000 } = options;
  const algorithms = [...(options.algorithms ?? defaultJwtAlgorithms)];
  const expectedClaims: Partial<Record<string, string>> = { iss: issuer, aud: audience };
  const rules = { issuer, audience, algorithms, clockTolerance: clockSkewSeconds, requiredClaims: ['exp', 'sub'] };
  /** By the digests of tokens. Strangers cannot evict any: only valid tokens get in. */
  let verified = new Map<string, { readonly verdict: TokenVerdict; readonly exp: number }>();
  let verifiedWith: JWTVerifyGetKey | undefined;
  let failedChecks = 0;
  let countedSince = 0;
  /** Ends when the last check does: one after the other, so that the next one knows whether it failed. */
  let lastCheck: Promise<unknown> = Promise.resolve();

  return {
    async verify(token): Promise<TokenVerdict> {
      const digest = sha256(token).toString('base64');
      const known = keys.current === verifiedWith ? verified.get(digest) : undefined;
      return known && Date.now() < known.exp * 1_000 ? known.verdict : verifyAnew(token, digest);
    },
  };

  async function verifyAnew(token: string, digest: string): Promise<TokenVerdict> {
    let known: JWTVerifyGetKey | undefined;
    let checks = 0;

    const counted = <Key>(key: Key): Key => {
      const now = performance.now();
      if (now - countedSince >= 1_000) [failedChecks, countedSince] = [0, now];
      if (failedChecks >= MAX_FAILED_CHECKS_PER_SECOND)
        throw new VerifierUnavailable('JWT: too many signatures were wrong within a second');
      // Until it has succeeded.
      failedChecks += 1;
      checks += 1;
      return key;
    };
    const find: JWTVerifyGetKey = async (...header) => {
      known = keys.current;
      if (!known) throw new errors.JWKSNoMatchingKey();
      return counted(await known(...header));
    };
    /** Tries each key if the token fits several, because it names none or they share a name. */
    const verifyWithKnownKeys = async () => {
      try {
        return await jwtVerify(token, find, rules);
      } catch (error) {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        for await (const key of error) {
          if (checks === MAX_CHECKS_PER_TOKEN) break;
          const jwt = await jwtVerify(token, counted(key), rules).catch(unlessAnotherKeyMayFit);
          if (jwt) return jwt;
        }
        throw new errors.JWSSignatureVerificationFailed();
      }
    };

    try {
      const jwt = await inTurn(verifyWithKnownKeys).catch(async (error: unknown) => {
        unlessAnotherKeyMayFit(error);
        await keys.renew?.();
        if (keys.current === known) throw error;
        return inTurn(verifyWithKnownKeys);
      });
      const { sub, exp } = checked(jwt, token);
      const verdict: TokenVerdict = { accepted: true, subject: `jwt:${JSON.stringify(issuer)}:${sub}` };
      // A new second may have begun.
      failedChecks = Math.max(0, failedChecks - checks);
      // One of the former keys may have been withdrawn.
      if (known !== verifiedWith) [verified, verifiedWith] = [new Map(), known];
      verified.set(digest, { verdict, exp });
      const [oldest = digest] = verified.keys();
      if (verified.size > rememberedTokens) verified.delete(oldest);
      return verdict;
    } catch (error) {
      if (error instanceof VerifierUnavailable) throw error;
      // Every fault of a token ends here, and so does a key of the issuer that cannot be used: a client that cannot be
      // verified is not accepted.
      return { accepted: false, reason: `JWT: ${reasonOf(error)}` };
    }
  }

  function inTurn<Result>(check: () => Promise<Result>): Promise<Result> {
    const result = lastCheck.then(check);
    lastCheck = result.catch(() => {});
    return result;
  }

  /** For the operator's log. The only message of jose's with a text from the token names an unknown extension. */
  function reasonOf(error: unknown): string {
    if (error instanceof errors.JOSENotSupported) return 'an unknown extension (crit)';
    if (!(error instanceof errors.JOSEError)) return "the issuer's key cannot be used: too short, or not a public one";
    const expected = error instanceof errors.JWTClaimValidationFailed ? expectedClaims[error.claim] : undefined;
    // A mistyped setting shows when the log has what was expected.
    return expected === undefined ? error.message : `${error.message}, expected ${JSON.stringify(expected)}`;
  }
}

const anotherKeyMayFit = [errors.JWKSNoMatchingKey, errors.JWSSignatureVerificationFailed, TypeError];

/** Rethrows any other error. A TypeError says that the key is too short. */
function unlessAnotherKeyMayFit(error: unknown): void {
  if (!anotherKeyMayFit.some((type) => error instanceof type)) throw error;
}

/** What jose does not check. Media types are compared in any case, and may lack `application/` (RFC 7515 section 4.1.9). */
function checked({ protectedHeader: { typ = 'JWT' }, payload }: JWTVerifyResult, token: string) {
  const { sub, exp = Number.NaN, nbf = 0 } = payload;
  if (typeof typ !== 'string' || !/^(application\/)?(at\+)?jwt$/i.test(typ))
    throw new errors.JWTInvalid('its typ is not that of an access token');
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    throw new errors.JWTInvalid(`its sub is not a text of 1–${MAX_SUBJECT_LENGTH} characters`);
  // JSON has no infinity, but a parser makes one of 1e999: a token that would never expire.
  if (!Number.isFinite(exp) || !Number.isFinite(nbf)) throw new errors.JWTInvalid('exp or nbf is not a time');
  // The signature, which is not itself signed, has to be the canonical text of its bytes (RFC 4648 section 3.5): jose
  // accepts padding, white space and a last character with other bits that no byte uses.
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature)
    throw new errors.JWTInvalid('its signature is not in plain Base64url');
  return { sub, exp };
}
