import type { KeySet } from './key-set.ts';

/**
 * A cache of the `sub` of verified tokens: a lookup costs far less than verifying again. Tokens are keyed by their
 * digests: none is stored in the clear. What was verified with replaced keys is forgotten: one of them may have been
 * withdrawn.
 */
export interface VerifiedTokenCache {
  /** The `sub` of a token that was verified with these keys and has not expired. */
  subOf(keys: KeySet | undefined, digest: string): string | undefined;

  /** @param expiresAtMs milliseconds since 1970; from then on it is forgotten. */
  remember(keys: KeySet, digest: string, sub: string, expiresAtMs: number): void;
}

/**
 * Caches up to `limit` tokens. When it is full, the oldest entry is evicted. Only valid tokens get in, so that strangers
 * cannot evict them.
 */
export function verifiedTokenCache(limit: number): VerifiedTokenCache {
  const byDigest = new Map<string, { readonly sub: string; readonly expiresAtMs: number }>();
  let verifiedWith: KeySet | undefined;

  return {
    subOf(keys, digest) {
      const found = keys === verifiedWith ? byDigest.get(digest) : undefined;
      if (!found) return undefined;
      if (Date.now() < found.expiresAtMs) return found.sub;
      byDigest.delete(digest);
      return undefined;
    },
    remember(keys, digest, sub, expiresAtMs) {
      if (keys !== verifiedWith) byDigest.clear();
      verifiedWith = keys;
      byDigest.set(digest, { sub, expiresAtMs });
      if (byDigest.size <= limit) return;
      const [first] = byDigest.keys();
      if (first !== undefined) byDigest.delete(first);
    },
  };
}
