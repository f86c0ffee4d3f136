import { sha256 } from '../digest/token-digest.ts';

/** Remembers the subjects of tokens that were verified: looking one up costs far less than verifying it again. */
export interface VerifiedTokens {
  /** The subject of a token that was verified and has not expired since. */
  subjectOf(token: string): string | undefined;

  /** @param expiresAtMs milliseconds since 1970; from then on it is forgotten. */
  remember(token: string, subject: string, expiresAtMs: number): void;
}

/**
 * Remembers up to `limit` tokens, by their SHA-256: none is kept in the clear. When it is full, the one that came first
 * goes. Only tokens that are good get in, so that strangers cannot push them out.
 */
export function verifiedTokens(limit: number): VerifiedTokens {
  const byDigest = new Map<string, { readonly subject: string; readonly expiresAtMs: number }>();

  return {
    subjectOf(token) {
      const digest = digestOf(token);
      const found = byDigest.get(digest);
      if (!found) return undefined;
      if (Date.now() < found.expiresAtMs) return found.subject;
      byDigest.delete(digest);
      return undefined;
    },
    remember(token, subject, expiresAtMs) {
      byDigest.set(digestOf(token), { subject, expiresAtMs });
      if (byDigest.size <= limit) return;
      const [first] = byDigest.keys();
      if (first !== undefined) byDigest.delete(first);
    },
  };
}

function digestOf(token: string): string {
  return sha256(token).toString('base64');
}
