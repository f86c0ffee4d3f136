import { type Clause, ContractViolation, eventually, resolved, type Tools } from '@plant-store/contracts-kit';
import type { TokenVerifier } from '@plant-store/domain';
import { prepareBounded } from './bounded-verifier.ts';
import { otherTexts, type PresentedText } from './other-texts.ts';
import { assertIs, verdictIfAny, verdictUnlessUnavailable } from './verdicts.ts';
import type { PreparedVerifier, VerifierHarness } from './verifier-harness.ts';

/** What happens when the outside fails: TV-6. */
export const verifierOutageClauses: readonly Clause<VerifierHarness>[] = [
  {
    id: 'TV-6',
    title: 'a verifier that cannot tell throws VerifierUnavailable within its bound, and recovers by itself',
    appliesTo: (subject) => subject.capabilities.external,
    check: async (subject, tools) => {
      const startOutage = requiredOutage(subject);
      const known = await prepareBounded(subject, tools);
      const judged = await judge(known, await subject.impostors());
      const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
      let ended: Promise<void> | undefined;
      const endOutage = () => (ended ??= end());
      try {
        const preparing = () => prepareBounded(subject, tools);
        const fresh = await resolved('called prepare() in an outage', preparing, 'a service starts in one, too');
        await expectUnavailable(fresh);
        await expectNoOtherVerdict(known.verifier, judged, 'by a verifier that was asked before it');
        await expectNoOtherVerdict(fresh.verifier, judged, 'by a verifier that was made in it');
        await endOutage();
        const tokens = judged.filter(({ accepted }) => accepted).map(({ text }) => text);
        await expectRecovered(known.verifier, tokens, tools, 'by a verifier that was asked before it');
        await expectRecovered(fresh.verifier, [fresh.tokens[0]], tools, 'by a verifier that was made in it');
      } finally {
        await endOutage();
      }
    },
  },
];

/** A text, and what the verifier said of it while it could tell. Whether that is right is for other clauses to say. */
interface JudgedText extends PresentedText {
  readonly accepted: boolean;
}

async function judge({ verifier, tokens }: PreparedVerifier, impostors: readonly string[]): Promise<JudgedText[]> {
  const issued = tokens.map((text) => ({ text, what: 'an issued token' }));
  const verdicts = [...issued, ...otherTexts(tokens, impostors)].map(async (presented): Promise<JudgedText[]> => {
    const verdict = await verdictIfAny(verifier, presented);
    return verdict ? [{ ...presented, accepted: verdict.accepted }] : [];
  });
  return (await Promise.all(verdicts)).flat();
}

/** It knows nothing and can ask nobody: whatever it said of a good token would be a guess. */
async function expectUnavailable({ verifier, tokens }: PreparedVerifier): Promise<void> {
  const what = 'an issued token in an outage, by a verifier that was made in it';
  const verdicts = await Promise.all(tokens.map((text) => verdictUnlessUnavailable(verifier, { text, what })));
  for (const verdict of verdicts)
    if (verdict)
      throw new ContractViolation(
        `verified ${what}`,
        `{accepted: ${verdict.accepted}}`,
        'it throws VerifierUnavailable',
      );
}

/** What a verifier knows already it may go on saying, but nothing else. */
async function expectNoOtherVerdict(
  verifier: TokenVerifier,
  judged: readonly JudgedText[],
  whose: string,
): Promise<void> {
  await Promise.all(
    judged.map(async ({ text, what, accepted }) => {
      const presented = { text, what: `${what} in an outage, ${whose}` };
      const verdict = await verdictUnlessUnavailable(verifier, presented);
      if (verdict) assertIs(accepted, presented, verdict);
    }),
  );
}

async function expectRecovered(
  verifier: TokenVerifier,
  tokens: readonly string[],
  tools: Tools,
  whose: string,
): Promise<void> {
  for (const text of tokens) {
    const presented = { text, what: `an issued token after an outage, ${whose}` };
    const verifying = async () => assertIs(true, presented, await verifier.verify(text));
    await eventually(tools, `verified ${presented.what}`, verifying);
  }
}

function requiredOutage(subject: VerifierHarness): () => Promise<() => Promise<void>> {
  if (subject.startOutage) return subject.startOutage.bind(subject);
  throw new ContractViolation(
    'looked for startOutage() in what is under test',
    'it is not there',
    'a verifier that promises external is tested with startOutage(); supply it, or do not promise external',
  );
}
