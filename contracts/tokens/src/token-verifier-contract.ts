import { type Clause, type Contract, ContractViolation } from '@plant-store/contracts-kit';
import { assertIs, prepareFixture, verdictIfAny, verdictOn } from './fixture.ts';
import { outageClause } from './outage-clause.ts';
import { tokenVerifierRevisions } from './revisions.ts';
import type { VerifierHarness } from './verifier-harness.ts';

const clauses: readonly Clause<VerifierHarness>[] = [
  {
    id: 'TV-1',
    title: 'an issued token is accepted whenever it is presented',
    check: async (harness, tools) => {
      const { verifier, issued } = await prepareFixture(harness, tools);
      const [token] = issued;
      for (const _time of [1, 2, 3]) assertIs(true, token, await verdictOn(verifier, token));
      const atOnce = Array.from({ length: 20 }, () => verdictOn(verifier, token));
      for (const verdict of await Promise.all(atOnce)) assertIs(true, token, verdict);
    },
  },
  {
    id: 'TV-2',
    title: 'any other text is refused',
    check: async (harness, tools) => {
      const { verifier, issued, others } = await prepareFixture(harness, tools);
      await Promise.all(others.map(async (other) => assertIs(false, other, await verdictIfAny(verifier, other))));
      // A verifier that caches a verdict must not return it for another text.
      await Promise.all(
        others.map(async (other) => {
          const [verdict] = await Promise.all([other, issued[0]].map((each) => verdictIfAny(verifier, each)));
          assertIs(false, { ...other, what: `${other.what}, at the same time as issued tokens` }, verdict);
        }),
      );
    },
  },
  {
    id: 'TV-3',
    title: 'several tokens are accepted concurrently',
    check: async (harness, tools) => {
      const { verifier, issued } = await prepareFixture(harness, tools);
      for (const token of [...issued, ...issued.toReversed()]) assertIs(true, token, await verdictOn(verifier, token));
    },
  },
  {
    id: 'TV-4',
    title: 'refusal is a result, not an error',
    check: async (harness, tools) => {
      const { verifier, others } = await prepareFixture(harness, tools);
      for (const other of others) await verdictOn(verifier, other);
    },
  },
  {
    id: 'TV-5',
    title: 'neither the subject nor the reason for a refusal contains the token',
    check: async (harness, tools) => {
      const { verifier, issued, others } = await prepareFixture(harness, tools);
      for (const token of issued) {
        const verdict = await verdictIfAny(verifier, token);
        if (verdict?.accepted) assertSafe(token.what, 'subject', verdict.subject, [token.text]);
      }
      const tokens = issued.map(({ text }) => text);
      for (const other of others) {
        const verdict = await verdictIfAny(verifier, other);
        const secrets = [other.text, ...tokens].filter(({ length }) => length >= MIN_SECRET_LENGTH);
        if (verdict?.accepted === false && verdict.reason !== undefined)
          assertSafe(other.what, 'reason', verdict.reason, secrets);
      }
    },
  },
  outageClause,
];

/** The TokenVerifier contract: one clause for every number in the documentation of the port. */
export const tokenVerifierContract: Contract<VerifierHarness> = {
  name: 'TokenVerifier',
  clauses,
  revisions: tokenVerifierRevisions,
};

/** A reason may contain shorter texts by chance. They are no secrets. */
const MIN_SECRET_LENGTH = 16;

function assertSafe(what: string, name: string, value: unknown, secrets: readonly string[]): void {
  const fault = faultOf(value, secrets);
  if (fault) throw new ContractViolation(`verified ${what}`, `its ${name} ${fault}`, `a ${name} that is safe to log`);
}

function faultOf(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== 'string') return `is not a string but of type ${typeof value}`;
  if (value === '') return 'is empty';
  // Ignores case: a token in lower case has lost little of its secret.
  const shown = secrets.some((secret) => value.toLowerCase().includes(secret.toLowerCase()));
  return shown ? 'contains what was presented, or an issued token' : undefined;
}
