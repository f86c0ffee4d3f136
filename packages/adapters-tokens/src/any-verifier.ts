import type { TokenVerdict, TokenVerifier } from '@plant-store/domain';

/**
 * Accepts what one of the verifiers accepts. They are called in turn until one accepts the token or throws, so the cheapest
 * belong first and those that may be unavailable last. The reason for a refusal joins the reasons of all.
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
