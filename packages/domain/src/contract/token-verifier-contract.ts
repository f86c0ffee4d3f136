import type { TokenVerifier } from '../token-verifier.ts';
import { BrokenPromise, type Clause, type Contract, show } from './contract.ts';

/** What the author of a token verifier supplies so that the contract can be run against it. */
export interface VerifierUnderTest {
  /** Makes a verifier together with at least two tokens that it must accept. */
  prepare(): Promise<{ readonly verifier: TokenVerifier; readonly tokens: readonly [string, string, ...string[]] }>;

  /** Texts that look like good tokens of this kind and are not: a digest, an expired one, one signed by a stranger. */
  readonly impostors: () => Promise<readonly string[]>;
}

const clauses: readonly Clause<VerifierUnderTest>[] = [
  {
    id: 'TV-1',
    title: 'a token that was issued is accepted, as often as it is presented',
    check: async (subject) => {
      const { verifier, tokens } = await subject.prepare();
      for (let time = 1; time <= 3; time += 1)
        await expectVerdict(verifier, tokens[0], true, `an issued token, time ${time}`);
    },
  },
  {
    id: 'TV-2',
    title: 'any other text is refused',
    check: async (subject) => {
      const { verifier, tokens } = await subject.prepare();
      const others = [...tokens.slice(0, 2).flatMap(similarTo), ...foreign, ...(await subject.impostors())];
      for (const other of others) {
        if (!tokens.includes(other)) await expectVerdict(verifier, other, false, 'a text that is not an issued token');
      }
    },
  },
  {
    id: 'TV-3',
    title: 'several tokens are accepted side by side',
    check: async (subject) => {
      const { verifier, tokens } = await subject.prepare();
      for (const token of [...tokens, ...tokens])
        await expectVerdict(verifier, token, true, 'one of several issued tokens');
    },
  },
  {
    id: 'TV-4',
    title: 'a refused token is answered, not thrown',
    check: async (subject) => {
      const { verifier } = await subject.prepare();
      for (const text of [...foreign, '\u0000', '\ud800', 'é', 'x'.repeat(100_000)]) {
        try {
          await verifier.verify(text);
        } catch (error) {
          throw new BrokenPromise(`verified ${show(text)}`, `threw ${show(error)}`, '{accepted: false}');
        }
      }
    },
  },
  {
    id: 'TV-5',
    title: 'the subject is not the token and does not contain it',
    check: async (subject) => {
      const { verifier, tokens } = await subject.prepare();
      for (const token of tokens) {
        const verdict = await verifier.verify(token);
        if (verdict.accepted && (verdict.subject === '' || verdict.subject.includes(token))) {
          throw new BrokenPromise(
            'verified an issued token',
            `its subject is ${verdict.subject === '' ? 'empty' : 'the token or holds it'}`,
            'a name for the caller that is safe to log',
          );
        }
      }
    },
  },
];

/** The TokenVerifier contract: one clause for every number in the documentation of the port. */
export const tokenVerifierContract: Contract<VerifierUnderTest> = { name: 'TokenVerifier', clauses };

const foreign = ['', ' ', 'Bearer', 'null', 'undefined', '[object Object]', '*', '..', 'a.b.c', 'x'.repeat(8_000)];

function similarTo(token: string): string[] {
  const half = Math.floor(token.length / 2);
  return [
    token.slice(0, -1),
    token.slice(1),
    token.slice(0, half),
    token[0] ?? '',
    `${token}x`,
    `x${token}`,
    `${token}${token}`,
    token.toUpperCase(),
    token.toLowerCase(),
    ` ${token}`,
    `${token} `,
    `${token}\n`,
    `"${token}"`,
    [...token].reverse().join(''),
    `${token.slice(0, half)}${token[half] === 'A' ? 'B' : 'A'}${token.slice(half + 1)}`,
  ];
}

async function expectVerdict(verifier: TokenVerifier, token: string, accepted: boolean, what: string): Promise<void> {
  const verdict = await verifier.verify(token);
  // The issued tokens may be real ones: only texts that are refused are shown.
  const shown = accepted ? `${what} (${token.length} characters)` : `${what}: ${show(token)}`;
  if (verdict.accepted !== accepted)
    throw new BrokenPromise(`verified ${shown}`, `{accepted: ${verdict.accepted}}`, `{accepted: ${accepted}}`);
}
