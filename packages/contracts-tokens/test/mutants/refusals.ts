import { timingSafeEqual } from 'node:crypto';
import { type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-4: refusal is a result, not an error. */
export const refusals: readonly VerifierMutant[] = [
  [
    'TV-4',
    'compares texts of different lengths with timingSafeEqual, which throws',
    class extends ModelVerifier {
      protected override matches(text: string, { token }: IssuedToken): boolean {
        return timingSafeEqual(Buffer.from(text), Buffer.from(token));
      }
    },
  ],
  throwing('throws at a text that no header can carry', (text) => /[^\x20-\x7e]/.test(text)),
  throwing('throws at an empty text', (text) => text === ''),
  throwing('throws at a text that is too long', (text) => text.length > 8_192),
  throwing('throws at a text that is not well-formed Unicode', (text) => !text.isWellFormed()),
  throwing('throws at a text of three parts that are no JSON', (text) => text === 'a.b.c'),
  [
    'TV-4',
    'throws for a revoked token',
    class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        if (this.revoked.some((known) => this.matches(text, known))) throw new Error('token expired');
        return super.verify(text);
      }
    },
  ],
  [
    'TV-4',
    'throws VerifierUnavailable for an unknown token',
    class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        const verdict = await super.verify(text);
        if (!verdict.accepted) throw new VerifierUnavailable('no key has signed this token');
        return verdict;
      }
    },
  ],
  [
    'TV-4',
    'never settles for an unknown text',
    class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        const verdict = await super.verify(text);
        return verdict.accepted ? verdict : new Promise(() => {});
      }
    },
  ],
  [
    'TV-4',
    'resolves with undefined for an unknown text',
    class extends ModelVerifier {
      override async verify(text: string): Promise<TokenVerdict> {
        const verdict = await super.verify(text);
        return verdict.accepted ? verdict : (undefined as unknown as TokenVerdict);
      }
    },
  ],
];

function throwing(does: string, isThrownAt: (text: string) => boolean): VerifierMutant {
  const Verifier = class extends ModelVerifier {
    override async verify(text: string): Promise<TokenVerdict> {
      if (isThrownAt(text)) throw new TypeError('invalid token');
      return super.verify(text);
    }
  };
  return ['TV-4', does, Verifier];
}
