import { timingSafeEqual } from 'node:crypto';
import { mutantTable } from '@plant-store/contracts-kit';
import { type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier, type VerifierClass } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-4: refusal is a result, not an error. */
export const refusals: readonly VerifierMutant[] = mutantTable({
  'TV-4': {
    'compares texts of different lengths with timingSafeEqual, which throws': class extends ModelVerifier {
      protected override matches(text: string, { token }: IssuedToken): boolean {
        return timingSafeEqual(Buffer.from(text), Buffer.from(token));
      }
    },
    'throws at a text that no header can carry': throwing((text) => /[^\x20-\x7e]/.test(text)),
    'throws at a text that is too long': throwing((text) => text.length > 8_192),
    'throws for a revoked token': class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        if (this.revoked.some((known) => this.matches(text, known))) throw new Error('token expired');
        return super.verify(text);
      }
    },
    'throws VerifierUnavailable for an unknown token': class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        const verdict = await super.verify(text);
        if (!verdict.accepted) throw new VerifierUnavailable('no key has signed this token');
        return verdict;
      }
    },
    'resolves with undefined for an unknown text': class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        const verdict = await super.verify(text);
        return verdict.accepted ? verdict : (undefined as unknown as TokenVerdict);
      }
    },
  },
});

function throwing(isThrownAt: (text: string) => boolean): VerifierClass {
  return class extends ModelVerifier {
    override async verify(text: string): Promise<TokenVerdict> {
      if (isThrownAt(text)) throw new TypeError('invalid token');
      return super.verify(text);
    }
  };
}
