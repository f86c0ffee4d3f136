/**
 * Remembers the subjects of tokens that were verified: looking one up costs far less than verifying it again. Tokens are
 * named by their digests: none is kept in the clear.
 */
export interface VerifiedTokens {
  /** The subject of a token that was verified and has not expired since. */
  subjectOf(digest: string): string | undefined;

  /** @param expiresAtMs milliseconds since 1970; from then on it is forgotten. */
  remember(digest: string, subject: string, expiresAtMs: number): void;
}

/**
 * Remembers up to `limit` tokens. When it is full, the one that came first goes. Only tokens that are good get in, so
 * that strangers cannot push them out.
 */
export function verifiedTokens(limit: number): VerifiedTokens {
  const byDigest = new Map<string, { readonly subject: string; readonly expiresAtMs: number }>();

  return {
    subjectOf(digest) {
      const found = byDigest.get(digest);
      if (!found) return undefined;
      if (Date.now() < found.expiresAtMs) return found.subject;
      byDigest.delete(digest);
      return undefined;
    },
    remember(digest, subject, expiresAtMs) {
      byDigest.set(digest, { subject, expiresAtMs });
      if (byDigest.size <= limit) return;
      const [first] = byDigest.keys();
      if (first !== undefined) byDigest.delete(first);
    },
  };
}
