import { type Tools, within } from '@plant-store/contracts-kit';
import type { PreparedVerifier, VerifierHarness } from './verifier-harness.ts';

/** Makes a verifier whose every call is bounded: a call that hangs is a violation. */
export async function prepareBounded(harness: VerifierHarness, tools: Tools): Promise<PreparedVerifier> {
  const { timeoutMs } = harness.capabilities;
  const { verifier, tokens } = await harness.prepare();
  const expected = `a verdict, or an error, within ${timeoutMs} ms`;
  const verify = async (token: string) =>
    within(timeoutMs + SLACK_MS, tools, 'verified a text', verifier.verify(token), expected);
  return { verifier: { verify }, tokens };
}

/** For the machine that the test runs on; the time-out itself is the verifier's own. */
const SLACK_MS = 1_000;
