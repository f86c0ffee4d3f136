import { timingSafeEqual } from 'node:crypto';
import type { TokenVerdict, TokenVerifier } from '@plant-store/domain';
import { MAX_TOKEN_LENGTH, MIN_TOKEN_LENGTH, sha256, type TokenDigest } from './token-entry.ts';

/** Where tokens come from: the digests of those that are accepted now. They may change at any time. */
export interface TokenSource {
  readonly digests: readonly TokenDigest[];
}

/**
 * Accepts the tokens whose digests are in one of the sources at the time of the call. A comparison takes some 0.1 µs
 * for every digest, so this is meant for hundreds of tokens, not for one per end user.
 */
export function digestVerifier(sources: readonly TokenSource[]): TokenVerifier {
  const notOpaque = `not a listed token, which has ${MIN_TOKEN_LENGTH}–${MAX_TOKEN_LENGTH} characters`;
  return {
    async verify(token): Promise<TokenVerdict> {
      // Bounds the work that anybody can cause, and reveals nothing: the rule is public. Whoever listed the digest of a
      // token that is too short could not know, and finds the reason in the log.
      if (token.length < MIN_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH)
        return { accepted: false, reason: notOpaque };
      const presented = sha256(token);
      let match: TokenDigest | undefined;
      // All of them, even after a match: the time taken reveals nothing about the digests.
      for (const { digests } of sources)
        for (const digest of digests) if (timingSafeEqual(digest.bytes, presented)) match = digest;
      return match ? { accepted: true, subject: match.subject } : { accepted: false, reason: 'not a listed token' };
    },
  };
}
