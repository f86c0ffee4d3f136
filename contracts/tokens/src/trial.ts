import { ContractViolation, resolved, show, type Tools, unlessUnavailable, within } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { type PresentedText, rejectedTexts } from './rejected-texts.ts';
import type { VerifierHarness } from './verifier-harness.ts';

/** A verifier, with tokens that it must accept and texts that it must not. */
export interface Trial {
  readonly verifier: TokenVerifier;
  readonly issued: readonly [PresentedText, ...PresentedText[]];
  readonly others: readonly PresentedText[];
}

/** Prepares a verifier whose every call is bounded: a call that hangs is a violation. */
export async function prepareTrial(harness: VerifierHarness, tools: Tools): Promise<Trial> {
  const { timeoutMs } = harness.capabilities;
  const { verifier, tokens } = await harness.prepare();
  const expected = `a verdict, or an error, within ${timeoutMs} ms`;
  const verify = async (token: string) =>
    within(timeoutMs + SLACK_MS, tools, 'verified a text', verifier.verify(token), expected);
  const [first, ...more] = tokens.map((text, at) => ({ text, what: `issued token ${at + 1} of ${tokens.length}` }));
  const issued = [first as PresentedText, ...more] as const;
  return { verifier: { verify }, issued, others: rejectedTexts(tokens, await harness.impostors()) };
}

/** For the machine that the test runs on; the time-out itself is the verifier's own. */
const SLACK_MS = 1_000;

/** Presents a text on which the verifier has to return a verdict, whichever. */
export async function verdictOn(verifier: TokenVerifier, { text, what }: PresentedText): Promise<TokenVerdict> {
  const action = `verified ${what}`;
  return assertVerdict(action, await resolved(action, () => verifier.verify(text), 'it resolves'));
}

/** The same in a clause that is about something else: there is no verdict if it throws. */
export async function verdictIfAny(verifier: TokenVerifier, presented: PresentedText) {
  return verdictOn(verifier, presented).catch(() => undefined);
}

/** The same if the verifier may throw VerifierUnavailable, and nothing else: then there is no verdict. */
export async function verdictIfKnown(verifier: TokenVerifier, { text, what }: PresentedText) {
  const action = `verified ${what}`;
  const result = await unlessUnavailable(action, () => verifier.verify(text), VerifierUnavailable);
  return result && assertVerdict(action, result.value);
}

/** Compares a verdict, if any, with the right one, and shows neither the token nor the subject, which may be the token. */
export function assertIs(accepted: boolean, { what }: PresentedText, verdict: TokenVerdict | undefined): void {
  if (verdict && verdict.accepted !== accepted)
    throw new ContractViolation(`verified ${what}`, `{accepted: ${verdict.accepted}}`, `{accepted: ${accepted}}`);
}

function assertVerdict(action: string, value: unknown): TokenVerdict {
  if (typeof value === 'object' && value !== null && 'accepted' in value && typeof value.accepted === 'boolean')
    return value as TokenVerdict;
  throw new ContractViolation(action, `resolved with ${show(value)}`, '{accepted: true, subject} or {accepted: false}');
}
