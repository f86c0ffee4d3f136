import {
  ContractViolation,
  NotChecked,
  resolved,
  show,
  type Tools,
  unlessUnavailable,
  within,
} from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import { type PresentedText, rejectedTexts } from './rejected-texts.ts';
import type { VerifierHarness } from './verifier-harness.ts';

/** A verifier, with tokens that it must accept and texts that it must refuse. */
export interface Fixture {
  readonly verifier: TokenVerifier;
  readonly issued: readonly [PresentedText, ...PresentedText[]];
  readonly others: readonly PresentedText[];
}

/**
 * Prepares a verifier with a time limit for every call. A call that hangs is a violation.
 * @throws {NotChecked} if its tokens do not allow some of the texts.
 */
export async function prepareFixture(harness: VerifierHarness, tools: Tools): Promise<Fixture> {
  const { timeoutMs } = harness.capabilities;
  const { verifier, tokens } = await harness.prepare();
  const expected = `a verdict, or an error, within ${timeoutMs} ms`;
  const verify = async (token: string) =>
    within(timeoutMs + SLACK_MS, tools, 'verified a text', verifier.verify(token), expected);
  const [first, ...more] = tokens.map((text, at) => ({ text, what: `issued token ${at + 1} of ${tokens.length}` }));
  const issued = [first as PresentedText, ...more] as const;
  const { others, missing } = rejectedTexts(tokens, await harness.impostors());
  if (missing.length > 0)
    throw new NotChecked(
      `supply impostors, and tokens of many letters, capitals and small ones, for ${missing.join(', ')}`,
    );
  return { verifier: { verify }, issued, others };
}

/** Added to the time-out of a verifier, for the machine that the test runs on. */
const SLACK_MS = 5_000;

/** Verifies a text. Any verdict is right, an error is a violation. */
export async function verify(verifier: TokenVerifier, { text, what }: PresentedText): Promise<TokenVerdict> {
  const action = `verified ${what}`;
  return assertVerdict(action, await resolved(action, () => verifier.verify(text), 'it resolves'));
}

/** Verifies a text in a clause that does not check errors. Resolves with undefined if the verifier throws. */
export async function verdictIfAny(verifier: TokenVerifier, presented: PresentedText) {
  return verify(verifier, presented).catch(() => undefined);
}

/** Verifies a text that may throw VerifierUnavailable, and nothing else. Then it resolves with undefined. */
export async function verdictIfKnown(verifier: TokenVerifier, { text, what }: PresentedText) {
  const action = `verified ${what}`;
  const result = await unlessUnavailable(action, () => verifier.verify(text), VerifierUnavailable);
  return result && assertVerdict(action, result.value);
}

/** Expects this verdict, if there is any. The message shows neither the token nor the subject, which may be the token. */
export function assertIs(accepted: boolean, { what }: PresentedText, verdict: TokenVerdict | undefined): void {
  if (verdict && verdict.accepted !== accepted)
    throw new ContractViolation(`verified ${what}`, `{accepted: ${verdict.accepted}}`, `{accepted: ${accepted}}`);
}

function assertVerdict(action: string, value: unknown): TokenVerdict {
  if (typeof value === 'object' && value !== null && 'accepted' in value && typeof value.accepted === 'boolean')
    return value as TokenVerdict;
  throw new ContractViolation(action, `resolved with ${show(value)}`, '{accepted: true, subject} or {accepted: false}');
}
