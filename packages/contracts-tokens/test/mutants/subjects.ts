import type { TokenVerdict } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-5: neither the subject nor the reason for a refusal contains the token. */
export const subjects: readonly VerifierMutant[] = [
  naming('names the client by the token', ({ token }) => token),
  naming('names the client by the header', ({ token }) => `Bearer ${token}`),
  naming('names the client by a name and the token', ({ client, token }) => `${client} (${token})`),
  naming('names the client by the token in lower case', ({ token }) => token.toLowerCase()),
  naming('leaves the name of the client empty', () => ''),
  naming('has no name for the client', () => undefined as unknown as string),
  naming('names the client by an object that has the token', (known) => known as unknown as string),
  refusing('gives what was presented as the reason of a refusal', (token) => token),
  refusing('quotes what was presented in the reason of a refusal', (token) => `${token} is not known`),
  refusing('gives the tokens that it would accept as the reason of a refusal', (_token, [first]) => `not ${first}`),
  refusing('has an empty reason for a refusal', () => ''),
  refusing('has an object for a reason', (token) => ({ token }) as unknown as string),
];

function refusing(does: string, reasonOf: (token: string, issued: readonly string[]) => string): VerifierMutant {
  const Verifier = class extends ModelVerifier {
    protected override refusal(token: string): TokenVerdict {
      const issued = this.issued.map((known) => known.token);
      return { accepted: false, reason: reasonOf(token, issued) };
    }
  };
  return ['TV-5', does, Verifier];
}

function naming(does: string, subjectOf: (known: IssuedToken) => string): VerifierMutant {
  const Verifier = class extends ModelVerifier {
    protected override subject(known: IssuedToken): string {
      return subjectOf(known);
    }
  };
  return ['TV-5', does, Verifier];
}
