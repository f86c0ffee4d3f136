import { type Tools, within } from '@plant-store/contracts-kit';
import type { PreparedVerifier, VerifierHarness } from './verifier-harness.ts';

/** Makes a verifier, every call of which is bounded: one that hangs is a broken promise. */
export async function prepareBounded(subject: VerifierHarness, tools: Tools): Promise<PreparedVerifier> {
  const { timeoutMs } = subject.capabilities;
  const { verifier, tokens } = await subject.prepare();
  const promised = `an answer, or an error, within ${timeoutMs} ms`;
  const verify = async (token: string) =>
    within(timeoutMs + SLACK_MS, tools, 'verified a text', verifier.verify(token), promised);
  return { verifier: { verify }, tokens };
}

/** For the machine that the test runs on; the bound itself is the verifier's own. */
const SLACK_MS = 1_000;
