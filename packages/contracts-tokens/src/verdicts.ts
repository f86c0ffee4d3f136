import { ContractViolation, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import type { PresentedText } from './other-texts.ts';

/** Presents a text that the verifier has to answer, one way or the other. */
export async function verdictOn(verifier: TokenVerifier, { text, what }: PresentedText): Promise<TokenVerdict> {
  const did = `verified ${what}`;
  return assertVerdict(did, await resolved(did, () => verifier.verify(text), 'it is answered'));
}

/** The same in a clause that is about something else: a text that is not answered has no verdict. */
export async function verdictIfAny(
  verifier: TokenVerifier,
  presented: PresentedText,
): Promise<TokenVerdict | undefined> {
  return verdictOn(verifier, presented).catch(() => undefined);
}

/** The same where the verifier may be unable to tell: then it has to say so, and there is no verdict. */
export async function verdictUnlessUnavailable(
  verifier: TokenVerifier,
  { text, what }: PresentedText,
): Promise<TokenVerdict | undefined> {
  const did = `verified ${what}`;
  const answer = await unlessUnavailable(did, () => verifier.verify(text), VerifierUnavailable);
  return answer && assertVerdict(did, answer.value);
}

/** Presents an issued token. */
export async function expectAccepted(verifier: TokenVerifier, presented: PresentedText): Promise<void> {
  assertIs(true, presented, await verdictOn(verifier, presented));
}

/** Presents a text that must not get anybody in. Whether it is answered at all is for TV-4 to say. */
export async function expectNotAccepted(verifier: TokenVerifier, presented: PresentedText): Promise<void> {
  const verdict = await verdictIfAny(verifier, presented);
  if (verdict) assertIs(false, presented, verdict);
}

/** Compares a verdict with the right one, and shows neither the token nor the subject, which may be the token. */
export function assertIs(accepted: boolean, { what }: PresentedText, verdict: TokenVerdict): void {
  if (verdict.accepted !== accepted)
    throw new ContractViolation(`verified ${what}`, `{accepted: ${verdict.accepted}}`, `{accepted: ${accepted}}`);
}

function assertVerdict(did: string, verdict: unknown): TokenVerdict {
  if (isVerdict(verdict)) return verdict;
  throw new ContractViolation(did, `resolved with ${show(verdict)}`, '{accepted: true, subject} or {accepted: false}');
}

function isVerdict(value: unknown): value is TokenVerdict {
  return typeof value === 'object' && value !== null && 'accepted' in value && typeof value.accepted === 'boolean';
}
