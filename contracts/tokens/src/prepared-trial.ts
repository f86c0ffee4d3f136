import { type Tools, within } from '@plant-store/contracts-kit';
import type { TokenVerifier } from '@plant-store/domain';
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
