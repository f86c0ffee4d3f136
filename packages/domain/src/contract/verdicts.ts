import type { TokenVerdict, TokenVerifier } from '../token-verifier.ts';
import { BrokenPromise, show, type Tools, within } from './contract.ts';
import type { PresentedText } from './other-texts.ts';

/** Presents a text that the verifier has to answer, one way or the other. */
export async function verdictOn(
  verifier: TokenVerifier,
  tools: Tools,
  { text, what }: PresentedText,
): Promise<TokenVerdict> {
  const did = `verified ${what}`;
  let verdict: unknown;
  try {
    verdict = await within(VERDICT_MS, tools, did, verifier.verify(text));
  } catch (error) {
    if (error instanceof BrokenPromise) throw error;
    throw new BrokenPromise(did, `threw ${show(error)}`, 'it is answered');
  }
  if (isVerdict(verdict)) return verdict;
  throw new BrokenPromise(did, `resolved with ${show(verdict)}`, '{accepted: true, subject} or {accepted: false}');
}

/** The same in a clause that is about something else: a text that is not answered has no verdict. */
export async function verdictIfAny(
  verifier: TokenVerifier,
  tools: Tools,
  presented: PresentedText,
): Promise<TokenVerdict | undefined> {
  return verdictOn(verifier, tools, presented).catch(() => undefined);
}

/** Presents an issued token. */
export async function expectAccepted(verifier: TokenVerifier, tools: Tools, presented: PresentedText): Promise<void> {
  const { accepted } = await verdictOn(verifier, tools, presented);
  if (!accepted)
    throw new BrokenPromise(`verified ${presented.what}`, '{accepted: false}', '{accepted: true, subject}');
}

/** Presents a text that must not get anybody in. Whether it is answered at all is for TV-4 to say. */
export async function expectNotAccepted(
  verifier: TokenVerifier,
  tools: Tools,
  presented: PresentedText,
): Promise<void> {
  const verdict = await verdictIfAny(verifier, tools, presented);
  if (verdict?.accepted) throw new BrokenPromise(`verified ${presented.what}`, '{accepted: true}', '{accepted: false}');
}

/** Long enough for a verifier that has to fetch its keys first. */
const VERDICT_MS = 10_000;

function isVerdict(value: unknown): value is TokenVerdict {
  return typeof value === 'object' && value !== null && 'accepted' in value && typeof value.accepted === 'boolean';
}
