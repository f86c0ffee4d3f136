import { type Clause, type Contract, ContractViolation } from '@plant-store/contracts-kit';
import type { TokenVerifier } from '@plant-store/domain';
import { prepareBounded } from './bounded-verifier.ts';
import { type PresentedText, rejectedTexts } from './rejected-texts.ts';
import { verifierOutageClauses } from './token-verifier-outages.ts';
import { expectAccepted, expectNotAccepted, verdictIfAny, verdictOn } from './verdicts.ts';
import type { VerifierHarness } from './verifier-harness.ts';

const clauses: readonly Clause<VerifierHarness>[] = [
  {
    id: 'TV-1',
    title: 'an issued token is accepted, as often as it is presented',
    check: async (harness, tools) => {
      const { verifier, tokens } = await prepareBounded(harness, tools);
      const [text] = tokens;
      for (let time = 1; time <= 3; time += 1)
        await expectAccepted(verifier, { text, what: `an issued token, time ${time}` });
      const atOnce = { text, what: 'an issued token, 20 times at once' };
      await Promise.all(Array.from({ length: 20 }, () => expectAccepted(verifier, atOnce)));
    },
  },
  {
    id: 'TV-2',
    title: 'any other text is refused',
    check: async (harness, tools) => {
      const { verifier, tokens } = await prepareBounded(harness, tools);
      const others = rejectedTexts(tokens, await harness.impostors());
      await Promise.all(others.map((other) => expectNotAccepted(verifier, other)));
      // What a verifier remembers of one client must not admit another one.
      await Promise.all(
        others.flatMap(({ text, what }) => [
          expectNotAccepted(verifier, { text, what: `${what}, at the same time as issued tokens` }),
          verdictIfAny(verifier, { text: tokens[0], what: 'an issued token' }),
        ]),
      );
    },
  },
  {
    id: 'TV-3',
    title: 'several tokens are accepted concurrently',
    check: async (harness, tools) => {
      const { verifier, tokens } = await prepareBounded(harness, tools);
      const numbered = tokens.map((text, at) => ({
        text,
        what: `issued token ${at + 1} of ${tokens.length}, in turn`,
      }));
      for (const token of [...numbered, ...numbered.toReversed()]) await expectAccepted(verifier, token);
    },
  },
  {
    id: 'TV-4',
    title: 'refusal is a result, not an error',
    check: async (harness, tools) => {
      const { verifier, tokens } = await prepareBounded(harness, tools);
      for (const other of rejectedTexts(tokens, await harness.impostors())) await verdictOn(verifier, other);
    },
  },
  {
    id: 'TV-5',
    title: 'neither the subject nor the reason for a refusal contains the token',
    check: async (harness, tools) => {
      const { verifier, tokens } = await prepareBounded(harness, tools);
      for (const token of tokens) {
        const verdict = await verdictIfAny(verifier, { text: token, what: 'an issued token' });
        const fault = verdict?.accepted ? faultOf(verdict.subject, token) : undefined;
        if (fault)
          throw new ContractViolation('verified an issued token', fault, 'a name for the client that is safe to log');
      }
      const others = rejectedTexts(tokens, await harness.impostors());
      await Promise.all(others.map((other) => expectSafeReason(verifier, other, tokens)));
    },
  },
];

/** The TokenVerifier contract: one clause for every number in the documentation of the port. */
export const tokenVerifierContract: Contract<VerifierHarness> = {
  name: 'TokenVerifier',
  clauses: [...clauses, ...verifierOutageClauses],
};

function faultOf(subject: unknown, token: string): string | undefined {
  if (typeof subject !== 'string') return `its subject is not a string but of type ${typeof subject}`;
  if (subject === '') return 'its subject is empty';
  return contains(subject, token) ? 'its subject is the token, or contains it' : undefined;
}

async function expectSafeReason(
  verifier: TokenVerifier,
  other: PresentedText,
  tokens: readonly string[],
): Promise<void> {
  const verdict = await verdictIfAny(verifier, other);
  const fault = verdict && !verdict.accepted && faultOfReason(verdict.reason, [other.text, ...tokens]);
  if (fault) throw new ContractViolation(`verified ${other.what}`, fault, 'a reason that is safe to log, or none');
}

/** Shorter texts are not secrets, and any sentence may contain them. */
const MIN_SECRET_LENGTH = 16;

function faultOfReason(reason: unknown, secrets: readonly string[]): string | undefined {
  if (reason === undefined) return undefined;
  if (typeof reason !== 'string') return `its reason is not a string but of type ${typeof reason}`;
  if (reason === '') return 'its reason is empty';
  const shown = secrets.some((secret) => secret.length >= MIN_SECRET_LENGTH && contains(reason, secret));
  return shown ? 'its reason contains what was presented, or an issued token' : undefined;
}

/** In any case: a token in lower case has lost little of its secret. */
function contains(text: string, secret: string): boolean {
  return text.toLowerCase().includes(secret.toLowerCase());
}
