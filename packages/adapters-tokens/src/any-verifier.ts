import type { TokenVerdict, TokenVerifier } from '@plant-store/domain';

/**
 * Combines verifiers. They are called in order until one accepts the token or throws. Put cheap ones first and those that may
 * be unavailable last. The reason for a refusal joins all reasons.
 */
export function anyVerifier(verifiers: readonly TokenVerifier[]): TokenVerifier {
  return {
    async verify(token): Promise<TokenVerdict> {
      const reasons: (string | undefined)[] = [];
      for (const verifier of verifiers) {
        const verdict = await verifier.verify(token);
        if (verdict.accepted) return verdict;
        reasons.push(verdict.reason);
      }
      return { accepted: false, reason: reasons.join('; ') };
    },
  };
}
