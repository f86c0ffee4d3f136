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

/** 8,192 characters: half of what Node accepts as the headers of a request, and cheap to hash for any client. */
const MAX_JWT_LENGTH = 8_192;

/** 255 characters (OpenID Connect Core section 2): it is cached, and a key of the rate limit. */
const MAX_SUBJECT_LENGTH = 255;

/** How many keys are tried for a token that fits several: more than an issuer has of one kind while it rotates them. */
const MAX_KEYS_TRIED = 8;

/**
 * A check of a signature takes up to 1.1 ms of CPU (ES512; 0.6 ms with ES384, 0.1 ms with ES256), so forged tokens take a
 * fifth of a core at most. Accepted tokens do not count, because after a restart the tokens of all clients are new.
 */
const MAX_VAIN_CHECKS_PER_SECOND = 200;
const tooManyVainChecks = `JWT: ${MAX_VAIN_CHECKS_PER_SECOND} checks of signatures within a second were in vain`;

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
  // jose checks `nbf` if it is present.
  const rules = { issuer, audience, algorithms, clockTolerance: clockSkewSeconds, requiredClaims: ['exp', 'sub'] };
  /** By the digests of tokens. Strangers cannot evict any: only valid tokens get in. */
  const verified = new Map<string, { readonly sub: string; readonly exp: number }>();
  let verifiedWith: unknown;
  let vainChecks = 0;
  let countedSince = 0;

  return {
    async verify(token): Promise<TokenVerdict> {
      if (token.length > MAX_JWT_LENGTH) return refused(`longer than ${MAX_JWT_LENGTH} characters`);
      const digest = sha256(token).toString('base64');
      const known = keys.revision === verifiedWith ? verified.get(digest) : undefined;
      return known && Date.now() < known.exp * 1_000 ? accepted(known.sub) : verifyAnew(token, digest);
    },
  };

  async function verifyAnew(token: string, digest: string): Promise<TokenVerdict> {
    const waits = !keys.revision;
    let revision: unknown;
    let checks = 0;

    const counted = <Key>(key: Key): Key => {
      const now = performance.now();
      if (now - countedSince >= 1_000) [vainChecks, countedSince] = [0, now];
      if (vainChecks >= MAX_VAIN_CHECKS_PER_SECOND) throw new VerifierUnavailable(tooManyVainChecks);
      checks += 1;
      return key;
    };
    const find: JWTVerifyGetKey = async (...header) => {
      if (!keys.revision) await keys.renew();
      revision = keys.revision;
      return counted(await keys.find(...header));
    };
    /** Tries each key if the token fits several, because it names none or they share a name. */
    const verifyWithKnownKeys = async () => {
      try {
        return await jwtVerify(token, find, rules);
      } catch (error) {
        if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
        let tried = 0;
        for await (const key of error) {
          tried += 1;
          if (tried > MAX_KEYS_TRIED) break;
          const jwt = await jwtVerify(token, counted(key), rules).catch(unlessKeyIsWrong);
          if (jwt) return jwt;
        }
        throw new errors.JWSSignatureVerificationFailed();
      }
    };

    try {
      const jwt = await verifyWithKnownKeys().catch(async (error: unknown) => {
        const mayBeOfNewKey = error instanceof errors.JWKSNoMatchingKey || isWrongSignature(error);
        if (waits || !mayBeOfNewKey) throw error;
        await keys.renew();
        if (keys.revision === revision) throw error;
        return verifyWithKnownKeys();
      });
      const { sub, exp } = checked(jwt, token);
      checks = 0;
      // One of the former keys may have been withdrawn.
      if (revision !== verifiedWith) verified.clear();
      verifiedWith = revision;
      verified.set(digest, { sub, exp });
      const [oldest = digest] = verified.keys();
      if (verified.size > rememberedTokens) verified.delete(oldest);
      return accepted(sub);
    } catch (error) {
      if (error instanceof VerifierUnavailable) throw error;
      // Every fault of a token ends here, and so does a key of the issuer that cannot be used: a client that cannot be
      // verified is not accepted.
      return refused(reasonOf(error));
    } finally {
      vainChecks += checks;
    }
  }

  function accepted(sub: string): TokenVerdict {
    return { accepted: true, subject: `jwt:${JSON.stringify(issuer)}:${sub}` };
  }
}

function refused(reason: string): TokenVerdict {
  return { accepted: false, reason: `JWT: ${reason}` };
}

function isWrongSignature(error: unknown): boolean {
  return error instanceof errors.JWSSignatureVerificationFailed;
}

/** A TypeError: the key is too short. */
function unlessKeyIsWrong(error: unknown): void {
  if (!isWrongSignature(error) && !(error instanceof TypeError)) throw error;
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

/** For the operator's log. The only message of jose's with a text from the token names an unknown extension. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JOSENotSupported) return 'an unknown extension (crit)';
  if (error instanceof errors.JOSEError) return error.message;
  return "the issuer's key cannot be used: too short, or not a public one";
}
