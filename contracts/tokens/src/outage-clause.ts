import { type Clause, ContractViolation, eventually, resolved, type Tools } from '@plant-store/contracts-kit';
import { type PortError, type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import { assertIs, type Fixture, prepareFixture, verdictIfAny, verdictIfKnown } from './fixture.ts';
import { type KeyServer, REFUSED, TIMEOUT_MS, type VerifierMutation } from './model-verifier.ts';
import type { PresentedText } from './rejected-texts.ts';
import type { VerifierHarness } from './verifier-harness.ts';

/** The clause on outages: TV-6. */
export const outageClause: Clause<VerifierHarness, VerifierMutation> = {
  id: 'TV-6',
  shows: 'P4/F8 P7/F8',
  title:
    'a verifier that cannot decide throws VerifierUnavailable within its time-out, and recovers without intervention',
  appliesTo: ({ capabilities }) => capabilities.external,
  check: async (harness, tools) => {
    const startOutage = harness.startOutage?.bind(harness);
    if (!startOutage) throw new ContractViolation('prepared an outage', 'no startOutage()', 'external: supply it');
    const known = await prepareFixture(harness, tools);
    const judged = await judge(known);
    const end = await resolved('called startOutage()', startOutage, 'it resolves once the outage has begun');
    let ended: Promise<void> | undefined;
    const endOutage = () => (ended ??= end());
    try {
      const preparing = () => prepareFixture(harness, tools);
      const expected = 'it resolves: a service may start in an outage';
      const fresh = await resolved('called prepare() in an outage', preparing, expected);
      await expectUnavailable(fresh);
      await expectNoOtherVerdict(known, judged, 'used before it');
      await expectNoOtherVerdict(fresh, judged, 'made in it');
      await endOutage();
      const tokens = judged.filter(({ accepted }) => accepted);
      await expectRecovered(known, tokens, tools, 'used before it');
      await expectRecovered(fresh, [fresh.issued[0]], tools, 'made in it');
    } finally {
      await endOutage();
    }
  },
  // More than two: refusals, other errors, late errors, recovery, known keys, and creation in an outage.
  mutants: {
    'refuses every token while it has no keys': failing(async () => REFUSED),
    'throws an error with the name of VerifierUnavailable, and without its code': failing(async () => {
      throw Object.assign(new Error('no keys'), { name: 'VerifierUnavailable' });
    }),
    'throws after twice its time-out': failing(async (error, { sleep }) => {
      await sleep(TIMEOUT_MS);
      throw error;
    }),
    'caches a rejected promise of its keys': ({ loadKeys }) => {
      let loading: Promise<void> | undefined;
      return { loadKeys: () => (loading ??= loadKeys()) };
    },
    'drops its keys when it cannot refresh them, and refuses what they have signed': ({ find }, { keyServer }) => ({
      find: async (text) => (keyServer.outage ? undefined : find(text)),
    }),
    'cannot be made in an outage': (_, { keyServer }) => {
      if (keyServer.outage) throw new VerifierUnavailable('no keys: is the address right?');
      return {};
    },
  },
};

/** A text with its verdict before the outage. Other clauses check that verdict. */
type JudgedText = PresentedText & { readonly accepted: boolean };

async function judge({ verifier, issued, others }: Fixture): Promise<JudgedText[]> {
  const verdicts = [...issued, ...others].map(async (presented): Promise<JudgedText[]> => {
    const verdict = await verdictIfAny(verifier, presented);
    return verdict ? [{ ...presented, accepted: verdict.accepted }] : [];
  });
  return (await Promise.all(verdicts)).flat();
}

/** Expects no verdict on an issued token. Without keys, it would be a guess. */
async function expectUnavailable({ verifier, issued }: Fixture): Promise<void> {
  const what = 'an issued token in an outage, by a verifier that was made in it';
  const verdicts = await Promise.all(issued.map(({ text }) => verdictIfKnown(verifier, { text, what })));
  if (verdicts.some((verdict) => verdict !== undefined))
    throw new ContractViolation(`verified ${what}`, 'a verdict', 'it throws VerifierUnavailable');
}

/** Expects that a verifier repeats the verdicts from before the outage, or throws. */
async function expectNoOtherVerdict({ verifier }: Fixture, judged: readonly JudgedText[], was: string) {
  await Promise.all(
    judged.map(async ({ text, what, accepted }) => {
      const presented = { text, what: `${what} in an outage, by a verifier that was ${was}` };
      assertIs(accepted, presented, await verdictIfKnown(verifier, presented));
    }),
  );
}

async function expectRecovered({ verifier }: Fixture, tokens: readonly PresentedText[], tools: Tools, was: string) {
  for (const { text, what: token } of tokens) {
    const what = `${token} after an outage, by a verifier that was ${was}`;
    const verifying = async () => assertIs(true, { text, what }, await verifier.verify(text));
    await eventually(tools, `verified ${what}`, verifying);
  }
}

/** A verifier that does this if it has no keys. */
export function failing(fail: (error: PortError, keyServer: KeyServer) => Promise<TokenVerdict>): VerifierMutation {
  return ({ verify, loadKeys }, { keyServer }) => ({
    verify: (token) =>
      loadKeys().then(
        () => verify(token),
        (error) => fail(error, keyServer),
      ),
  });
}
