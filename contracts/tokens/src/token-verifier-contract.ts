import { timingSafeEqual } from 'node:crypto';
import { type Clause, type Contract, ContractViolation, NotChecked } from '@plant-store/contracts-kit';
import type { TokenVerdict } from '@plant-store/domain';
import { assertIs, prepareFixture, verdictIfAny, verify } from './fixture.ts';
import { type IssuedToken, REFUSED, type VerifierMutation } from './model-verifier.ts';
import { outageClause } from './outage-clause.ts';
import type { VerifierHarness } from './verifier-harness.ts';

const clauses: readonly Clause<VerifierHarness, VerifierMutation>[] = [
  {
    id: 'TV-1',
    shows: 'P7/F8',
    title: 'an issued token is accepted whenever it is presented',
    check: async (harness, tools) => {
      const { verifier, issued } = await prepareFixture(harness, tools);
      const [token] = issued;
      for (const _time of [1, 2, 3]) assertIs(true, token, await verify(verifier, token));
      const atOnce = Array.from({ length: 20 }, () => verify(verifier, token));
      for (const verdict of await Promise.all(atOnce)) assertIs(true, token, verdict);
    },
    mutants: {
      'refuses until its keys are loaded, and loads them when it is first called': ({ verify }) => {
        let calls = 0;
        return { verify: async (token) => (calls++ === 0 ? REFUSED : verify(token)) };
      },
      'refuses a token while it verifies another one': ({ find }, { keyServer }) => {
        let busy = 0;
        return {
          async find(token) {
            if (busy++ === 0) await keyServer.sleep(1);
            return --busy === 0 ? find(token) : undefined;
          },
        };
      },
    },
  },
  {
    id: 'TV-2',
    shows: 'P7/F8',
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
    // More than two: near misses, foreign texts, impostors.
    mutants: {
      'compares the first 72 bytes, as bcrypt does': comparing(
        (text, token) => text.slice(0, 72) === token.slice(0, 72),
      ),
      'looks the text up among the properties of an object, inherited ones included': (_, { issued }) => ({
        async find(text) {
          const clients = Object.fromEntries(issued.map((known) => [known.token, known]));
          return text in clients ? issued[0] : undefined;
        },
      }),
      'accepts a revoked token': ({ matches }, { issued, revoked }) => ({
        find: async (text) => [...issued, ...revoked].find((known) => matches(text, known)),
      }),
    },
  },
  {
    id: 'TV-3',
    shows: 'P7/F8',
    title: 'several tokens are accepted concurrently',
    check: async (harness, tools) => {
      const { verifier, issued } = await prepareFixture(harness, tools);
      for (const token of [...issued, ...issued.toReversed()]) assertIs(true, token, await verify(verifier, token));
    },
    mutants: {
      'indexes its tokens by their first eight characters, which may be equal': ({ matches }, { issued }) => ({
        async find(text) {
          const candidate = issued.find(({ token }) => token.slice(0, 8) === text.slice(0, 8));
          return candidate && matches(text, candidate) ? candidate : undefined;
        },
      }),
      'revokes the token that it accepted before when it accepts another one': ({ find }) => {
        const accepted = new Set<IssuedToken | undefined>();
        return {
          async find(text) {
            const known = await find(text);
            const isEnded = accepted.has(known) && [...accepted].at(-1) !== known;
            accepted.add(known);
            return isEnded ? undefined : known;
          },
        };
      },
    },
  },
  {
    id: 'TV-4',
    shows: 'P7/F8',
    title: 'refusal is a result, not an error',
    check: async (harness, tools) => {
      const { verifier, others } = await prepareFixture(harness, tools);
      for (const other of others) await verify(verifier, other);
    },
    mutants: {
      'compares texts of different lengths with timingSafeEqual, which throws': comparing((text, token) =>
        timingSafeEqual(Buffer.from(text), Buffer.from(token)),
      ),
      'resolves with undefined for an unknown text': () => ({ refusal: () => undefined as unknown as TokenVerdict }),
    },
  },
  {
    id: 'TV-5',
    shows: 'P7/F8',
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
      if (tokens.some(({ length }) => length < MIN_SECRET_LENGTH))
        throw new NotChecked(`supply tokens of at least ${MIN_SECRET_LENGTH} characters`);
    },
    // More than two: one for each mistake in a subject and in a reason.
    mutants: {
      'names the client by the token in lower case': () => ({ subject: ({ token }) => token.toLowerCase() }),
      'leaves the name of the client empty': () => ({ subject: () => '' }),
      'names the client by an object that has the token': () => ({ subject: (known) => known as unknown as string }),
      'quotes what was presented in the reason of a refusal': refusing((token) => `${token} is not known`),
      'shows an issued token in the reason of a refusal': refusing((_token, first) => `not ${first}`),
      'has an object for a reason': refusing((token) => ({ token }) as unknown as string),
    },
  },
  outageClause,
];

/** The TokenVerifier contract: one clause for every number in the documentation of the port. */
export const tokenVerifierContract: Contract<VerifierHarness, VerifierMutation> = {
  name: 'TokenVerifier',
  clauses,
};

/** A reason may contain shorter texts by chance. They are no secrets. */
const MIN_SECRET_LENGTH = 16;

function assertSafe(what: string, name: string, value: unknown, secrets: readonly string[]): void {
  const fault = findFault(value, secrets);
  if (fault) throw new ContractViolation(`verified ${what}`, `its ${name} ${fault}`, `a ${name} that is safe to log`);
}

function findFault(value: unknown, secrets: readonly string[]): string | undefined {
  if (typeof value !== 'string') return `is not a string but of type ${typeof value}`;
  if (value === '') return 'is empty';
  // Ignores case: a token in lower case has lost little of its secret.
  const shown = secrets.some((secret) => value.toLowerCase().includes(secret.toLowerCase()));
  return shown ? 'contains what was presented, or an issued token' : undefined;
}

function comparing(isAccepted: (text: string, token: string) => boolean): VerifierMutation {
  return () => ({ matches: (text, { token }) => isAccepted(text, token) });
}

/** A verifier that has this reason for a refusal. */
export function refusing(makeReason: (token: string, issued: string) => string): VerifierMutation {
  return (_, { issued: [{ token: first }] }) => ({
    refusal: (token) => ({ accepted: false, reason: makeReason(token, first) }),
  });
}
