import { mutantTable } from '@plant-store/contracts-kit';
import type { TokenVerdict } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier, type VerifierClass } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-5: neither the subject nor the reason for a refusal contains the token. */
export const subjects: readonly VerifierMutant[] = mutantTable({
  'TV-5': {
    'names the client by the token': naming(({ token }) => token),
    'names the client by the token in lower case': naming(({ token }) => token.toLowerCase()),
    'leaves the name of the client empty': naming(() => ''),
    'names the client by an object that has the token': naming((known) => known as unknown as string),
    'quotes what was presented in the reason of a refusal': refusing((token) => `${token} is not known`),
    'gives the tokens that it would accept as the reason of a refusal': refusing((_token, [first]) => `not ${first}`),
    'has an object for a reason': refusing((token) => ({ token }) as unknown as string),
  },
});

function refusing(reasonOf: (token: string, issued: readonly string[]) => string): VerifierClass {
  return class extends ModelVerifier {
    protected override refusal(token: string): TokenVerdict {
      const issued = this.issued.map((known) => known.token);
      return { accepted: false, reason: reasonOf(token, issued) };
    }
  };
}

function naming(subjectOf: (known: IssuedToken) => string): VerifierClass {
  return class extends ModelVerifier {
    protected override subject(known: IssuedToken): string {
      return subjectOf(known);
    }
  };
}
