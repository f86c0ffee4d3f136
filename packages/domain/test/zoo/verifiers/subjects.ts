import type { VerifierMember } from '../member.ts';
import { type IssuedToken, ModelVerifier } from '../model-verifier.ts';

/** Break TV-5: the subject is not the token and does not contain it. */
export const subjects: readonly VerifierMember[] = [
  naming('names the caller by the token', ({ token }) => token),
  naming('names the caller by the header', ({ token }) => `Bearer ${token}`),
  naming('names the caller by a name and the token', ({ caller, token }) => `${caller} (${token})`),
  naming('names the caller by the token in lower case', ({ token }) => token.toLowerCase()),
  naming('leaves the name of the caller empty', () => ''),
  naming('has no name for the caller', () => undefined as unknown as string),
  naming('names the caller by an object that has the token', (known) => known as unknown as string),
];

function naming(does: string, subjectOf: (known: IssuedToken) => string): VerifierMember {
  const Verifier = class extends ModelVerifier {
    protected override subject(known: IssuedToken): string {
      return subjectOf(known);
    }
  };
  return { does, breaks: 'TV-5', Verifier };
}
