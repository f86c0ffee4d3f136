import { type Clause, ContractViolation, eventually, resolved, type Tools } from '@plant-store/contracts-kit';
import type { TokenVerifier } from '@plant-store/domain';
import { prepareBounded } from './bounded-verifier.ts';
import { type PresentedText, rejectedTexts } from './rejected-texts.ts';
import { assertIs, verdictIfAny, verdictUnlessUnavailable } from './verdicts.ts';
import type { PreparedVerifier, VerifierHarness } from './verifier-harness.ts';

/** What a verifier does in an outage: TV-6. */
export const verifierOutageClauses: readonly Clause<VerifierHarness>[] = [
  {
    id: 'TV-6',
    title: 'a verifier that cannot know throws VerifierUnavailable within its time-out, and recovers by itself',
    appliesTo: ({ capabilities }) => capabilities.external,
    check: async (harness, tools) => {
      const startOutage = requiredOutage(harness);
      const known = await prepareBounded(harness, tools);
      const judged = await judge(known, await harness.impostors());
      const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
      let ended: Promise<void> | undefined;
      const endOutage = () => (ended ??= end());
      try {
        const preparing = () => prepareBounded(harness, tools);
        const fresh = await resolved(
          'called prepare() in an outage',
          preparing,
          'it resolves: a service starts in an outage, too',
        );
        await expectUnavailable(fresh);
        await expectNoOtherVerdict(known.verifier, judged, 'by a verifier that was used before it');
        await expectNoOtherVerdict(fresh.verifier, judged, 'by a verifier that was made in it');
        await endOutage();
        const tokens = judged.filter(({ accepted }) => accepted).map(({ text }) => text);
        await expectRecovered(known.verifier, tokens, tools, 'by a verifier that was used before it');
        await expectRecovered(fresh.verifier, [fresh.tokens[0]], tools, 'by a verifier that was made in it');
      } finally {
        await endOutage();
      }
    },
  },
];

/** A text with the verdict on it before the outage. Whether that is right is for other clauses to check. */
interface JudgedText extends PresentedText {
  readonly accepted: boolean;
}

async function judge({ verifier, tokens }: PreparedVerifier, impostors: readonly string[]): Promise<JudgedText[]> {
  const issued = tokens.map((text) => ({ text, what: 'an issued token' }));
  const verdicts = [...issued, ...rejectedTexts(tokens, impostors)].map(async (presented): Promise<JudgedText[]> => {
    const verdict = await verdictIfAny(verifier, presented);
    return verdict ? [{ ...presented, accepted: verdict.accepted }] : [];
  });
  return (await Promise.all(verdicts)).flat();
}

/** It has no keys and cannot fetch them: any verdict on an issued token would be a guess. */
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

/** A verifier may repeat verdicts that it can already know, but give no other. */
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

function requiredOutage(harness: VerifierHarness): () => Promise<() => Promise<void>> {
  if (harness.startOutage) return harness.startOutage.bind(harness);
  throw new ContractViolation(
    'looked for startOutage() in the harness',
    'it is not there',
    'a verifier with the capability external is tested with startOutage(); supply it, or set external to false',
  );
}
