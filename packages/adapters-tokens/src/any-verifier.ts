import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';

/**
 * Accepts what one of the verifiers accepts; they are called in turn, so the cheapest belongs first. If one of them cannot
 * answer, its error is thrown unless another accepts the token. The reason for a refusal joins the reasons of all.
 */
export function anyVerifier(verifiers: readonly TokenVerifier[]): TokenVerifier {
  return {
    async verify(token): Promise<TokenVerdict> {
      let unavailable: VerifierUnavailable | undefined;
      const reasons: string[] = [];
      for (const verifier of verifiers) {
        try {
          const verdict = await verifier.verify(token);
          if (verdict.accepted) return verdict;
          if (verdict.reason !== undefined) reasons.push(verdict.reason);
        } catch (error) {
          if (!(error instanceof VerifierUnavailable)) throw error;
          unavailable = error;
        }
      }
      if (unavailable) throw unavailable;
      return reasons.length === 0 ? { accepted: false } : { accepted: false, reason: reasons.join('; ') };
    },
  };
}
