import { hash, timingSafeEqual } from 'node:crypto';
import type { TokenVerdict, TokenVerifier } from '@plant-store/domain';
import { isB64token, MAX_TOKEN_LENGTH, MIN_TOKEN_LENGTH, type TokenDigest } from './token-digest.ts';

/** Where tokens come from. Its digests may change at any time; a list that never changes is a source, too. */
export interface TokenSource {
  /** The digests of the tokens that are accepted now. */
  readonly digests: readonly TokenDigest[];
}

/**
 * Accepts the tokens whose digests are in one of the sources at the time of the call. A comparison takes some 0.1 µs
 * for every digest, so this is meant for hundreds of tokens, not for one per end user.
 */
export function digestVerifier(sources: readonly TokenSource[]): TokenVerifier {
  // The same for every token: a new Buffer for each costs more than hashing it.
  const presented = Buffer.alloc(32);
  return {
    async verify(token): Promise<TokenVerdict> {
      // Bounds the work that anybody can cause, and reveals nothing: the rule is public.
      if (token.length > MAX_TOKEN_LENGTH || !isB64token(token)) return { accepted: false, reason: notOpaque };
      presented.write(hash('sha256', token, 'latin1'), 'latin1');
      let match: TokenDigest | undefined;
      // All of them, even after a match: the time taken reveals nothing about the digests.
      for (const { digests } of sources)
        for (const digest of digests) if (timingSafeEqual(digest.bytes, presented)) match = digest;
      // Compared all the same: whoever listed its digest could not know its length, and finds the reason in the log.
      if (token.length < MIN_TOKEN_LENGTH) return { accepted: false, reason: match ? listedButShort : notOpaque };
      return match ? { accepted: true, subject: match.subject } : { accepted: false, reason: 'not a listed token' };
    },
  };
}

const notOpaque = `not an opaque token: expected ${MIN_TOKEN_LENGTH}–${MAX_TOKEN_LENGTH} characters of b64token`;

const listedButShort = `a listed token, but too short: a token needs at least ${MIN_TOKEN_LENGTH} characters; replace it (plant-store token new)`;
