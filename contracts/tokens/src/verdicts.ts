import { ContractViolation, resolved, show, unlessUnavailable } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import type { PresentedText } from './rejected-texts.ts';

/** Presents a text on which the verifier has to return a verdict, whichever. */
export async function verdictOn(verifier: TokenVerifier, { text, what }: PresentedText): Promise<TokenVerdict> {
  const action = `verified ${what}`;
  return assertVerdict(action, await resolved(action, () => verifier.verify(text), 'it resolves'));
}

/** The same in a clause that is about something else: there is no verdict if it throws. */
export async function verdictIfAny(
  verifier: TokenVerifier,
  presented: PresentedText,
): Promise<TokenVerdict | undefined> {
  return verdictOn(verifier, presented).catch(() => undefined);
}

/** The same if the verifier may throw VerifierUnavailable, and nothing else: then there is no verdict. */
export async function verdictUnlessUnavailable(
  verifier: TokenVerifier,
  { text, what }: PresentedText,
): Promise<TokenVerdict | undefined> {
  const action = `verified ${what}`;
  const result = await unlessUnavailable(action, () => verifier.verify(text), VerifierUnavailable);
  return result && assertVerdict(action, result.value);
}

/** Presents an issued token. */
export async function expectAccepted(verifier: TokenVerifier, presented: PresentedText): Promise<void> {
  assertIs(true, presented, await verdictOn(verifier, presented));
}

/** Presents a text that must not be accepted. Whether there is a verdict at all is for TV-4 to check. */
export async function expectNotAccepted(verifier: TokenVerifier, presented: PresentedText): Promise<void> {
  const verdict = await verdictIfAny(verifier, presented);
  if (verdict) assertIs(false, presented, verdict);
}

/** Compares a verdict with the right one, and shows neither the token nor the subject, which may be the token. */
export function assertIs(accepted: boolean, { what }: PresentedText, verdict: TokenVerdict): void {
  if (verdict.accepted !== accepted)
    throw new ContractViolation(`verified ${what}`, `{accepted: ${verdict.accepted}}`, `{accepted: ${accepted}}`);
}

function assertVerdict(action: string, verdict: unknown): TokenVerdict {
  if (isVerdict(verdict)) return verdict;
  throw new ContractViolation(
    action,
    `resolved with ${show(verdict)}`,
    '{accepted: true, subject} or {accepted: false}',
  );
}

function isVerdict(value: unknown): value is TokenVerdict {
  return typeof value === 'object' && value !== null && 'accepted' in value && typeof value.accepted === 'boolean';
}
