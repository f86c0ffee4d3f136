import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { sha256 } from '../digest/token-digest.ts';
import { type JwtAlgorithm, jwtAlgorithms } from './algorithms.ts';
import { MAX_CLOCK_SKEW_SECONDS } from './clock-skew.ts';
import type { KeySet, KeySource } from './key-set.ts';
import { rejectionReason } from './rejection-reason.ts';
import { verifiedTokenCache } from './verified-token-cache.ts';

/** Which JWTs are accepted. */
export interface JwtVerifierOptions {
  /** The public keys of the issuer. */
  readonly keys: KeySource;

  /** What `iss` has to be, exactly. */
  readonly issuer: string;

  /** What `aud` has to be, or has to contain. */
  readonly audience: string;

  /** The signatures that are accepted, at least one; all of {@link jwtAlgorithms} by default. */
  readonly algorithms?: readonly JwtAlgorithm[];

  /**
   * How far the issuer's clock may be from ours, in seconds, from 0 to {@link MAX_CLOCK_SKEW_SECONDS}; 60 by default:
   * more than the skew of clocks with NTP, and little beside the minutes that a token is valid.
   */
  readonly clockSkewSeconds?: number;

  /** How many verified tokens are cached; 10,000 by default, which take up to 5 MB. */
  readonly rememberedTokens?: number;
}

/** 8,192 characters: half of what Node accepts as the headers of a request, and cheap to hash for any client. */
const MAX_JWT_LENGTH = 8_192;

/** 255 characters (OpenID Connect Core section 2): it is cached, and a key of the rate limit. */
const MAX_SUBJECT_LENGTH = 255;

/**
 * Accepts JWTs that were issued for this service, as RFC 9068 section 4 and RFC 8725 have it: signed by a key of the
 * issuer with an allowed algorithm; `iss`, `aud`, `exp` and `sub` present and valid; `nbf` past, if there is one.
 * Their subject is `jwt:`, the issuer as a JSON text, `:` and `sub`, which is unique only together with its issuer (RFC 7519
 * section 4.1.2): it equals no subject of another issuer or of another kind of token.
 *
 * `typ` may be `at+jwt`, `JWT` or absent, since many issuers do not send the first one; other types of JWT are refused.
 * No key is ever taken from the token, or from where the token says (`jwk`, `jku`, `x5c`, `x5u`).
 *
 * @throws {RangeError} if `clockSkewSeconds` is out of range.
 */
export function jwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const {
    keys,
    issuer,
    audience,
    algorithms = jwtAlgorithms,
    clockSkewSeconds = 60,
    rememberedTokens = 10_000,
  } = options;
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= MAX_CLOCK_SKEW_SECONDS))
    throw new RangeError(`clockSkewSeconds is ${clockSkewSeconds}; give 0 to ${MAX_CLOCK_SKEW_SECONDS}`);
  // jose checks `exp` and `nbf` if they are present.
  const requiredClaims = ['exp'];
  const rules = { issuer, audience, algorithms: [...algorithms], clockTolerance: clockSkewSeconds, requiredClaims };

  const subjectOf = (sub: string) => `jwt:${JSON.stringify(issuer)}:${sub}`;

  const verified = verifiedTokenCache(rememberedTokens);

  return {
    async verify(token): Promise<TokenVerdict> {
      if (token.length > MAX_JWT_LENGTH) return refused(`JWT: longer than ${MAX_JWT_LENGTH} characters`);
      const digest = sha256(token).toString('base64');
      const remembered = verified.subOf(keys.known, digest);
      return remembered === undefined ? verifyAnew(token, digest) : { accepted: true, subject: subjectOf(remembered) };
    },
  };

  async function verifyAnew(token: string, digest: string): Promise<TokenVerdict> {
    if (!hasThreeParts(token)) return refused('not a JWT of three parts');
    if (!hasCanonicalSignature(token)) return refused('JWT: its signature is not in plain Base64url');
    let used: KeySet | undefined;
    const keyOf: JWTVerifyGetKey = async (header, jws) => {
      const keyIn = (set: KeySet) => {
        used = set;
        return set(header, jws);
      };
      if (!keys.known) return keyIn(await keys.renewed());
      return keyIn(keys.known).catch(async (error: unknown) => {
        if (error instanceof errors.JWKSNoMatchingKey) return keyIn(await keys.renewed());
        throw error;
      });
    };
    try {
      const jwt = await jwtVerify(token, keyOf, rules);
      if (!isAccessTokenType(jwt.protectedHeader.typ)) return refused('JWT: its typ is not that of an access token');
      const { sub, exp = Number.NaN, nbf = 0 } = jwt.payload;
      if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
        return refused(`JWT: its sub is not a text of 1–${MAX_SUBJECT_LENGTH} characters`);
      // JSON has no infinity, but a parser makes one of 1e999: a token that would never expire.
      if (!Number.isFinite(exp) || !Number.isFinite(nbf)) return refused('JWT: exp or nbf is not a time');
      if (used) verified.remember(used, digest, sub, exp * 1_000);
      return { accepted: true, subject: subjectOf(sub) };
    } catch (error) {
      if (error instanceof VerifierUnavailable) throw error;
      // Every fault of a token ends here, and so does a key of the issuer that cannot be used: a client that cannot be
      // verified is not accepted.
      return refused(`JWT: ${rejectionReason(error)}`);
    }
  }
}

function refused(reason: string): TokenVerdict {
  return { accepted: false, reason };
}

/** A JWS in compact form (RFC 7515 section 7.1). */
function hasThreeParts(token: string): boolean {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return first > 0 && !token.includes('.', second + 1);
}

/**
 * The last character of Base64 text may have bits that no byte uses, and jose accepts padding and white space, too: the
 * signature, which is not itself signed, has to be the canonical text of its bytes (RFC 4648 section 3.5).
 */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return signature !== '' && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Media types are compared in any case, and may lack `application/` (RFC 7515 section 4.1.9). */
function isAccessTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && accessTokenTypes.has(typ.toLowerCase()));
}

const accessTokenTypes: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt', 'application/jwt']);
