import { timingSafeEqual } from 'node:crypto';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type PortError, type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import { type IssuedToken, type KeyServer, REFUSED, TIMEOUT_MS, type VerifierMutation } from '../src/model-verifier.ts';

/** Correct verifiers. A clause that demands too much would fail one of them. */
export const correctVerifiers: readonly (readonly [does: string, mutation: VerifierMutation])[] = [
  ['fetches its keys when it is first called, and caches them', () => ({})],
  ['returns a reason for a refusal', refusing((token) => `not known, and ${token.length} characters long`)],
  [
    'takes five seconds to fetch its keys',
    ({ withTimeout }, { keyServer }) => ({
      withTimeout: (call) => withTimeout(keyServer.sleep(5_000).then(() => call)),
    }),
  ],
  [
    'looks up every token anew, and so knows none in an outage',
    ({ withTimeout, fetchKeys }) => ({ loadKeys: () => withTimeout(fetchKeys()) }),
  ],
  [
    'throws errors of another copy of domain',
    failing(async ({ message, code }) => {
      throw Object.assign(new Error(message), { code });
    }),
  ],
];

/** Every mutant, in the order of the clauses that they break. */
export const verifierMutants: readonly Mutant<VerifierMutation>[] = mutantTable<VerifierMutation>({
  'TV-1': {
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
  // More than two: near misses, foreign texts, impostors.
  'TV-2': {
    'compares the first 72 bytes, as bcrypt does': comparing((text, token) => text.slice(0, 72) === token.slice(0, 72)),
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
  'TV-3': {
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
  'TV-4': {
    'compares texts of different lengths with timingSafeEqual, which throws': comparing((text, token) =>
      timingSafeEqual(Buffer.from(text), Buffer.from(token)),
    ),
    'resolves with undefined for an unknown text': () => ({ refusal: () => undefined as unknown as TokenVerdict }),
  },
  // More than two: one for each mistake in a subject and in a reason.
  'TV-5': {
    'names the client by the token in lower case': () => ({ subject: ({ token }) => token.toLowerCase() }),
    'leaves the name of the client empty': () => ({ subject: () => '' }),
    'names the client by an object that has the token': () => ({ subject: (known) => known as unknown as string }),
    'quotes what was presented in the reason of a refusal': refusing((token) => `${token} is not known`),
    'shows an issued token in the reason of a refusal': refusing((_token, first) => `not ${first}`),
    'has an object for a reason': refusing((token) => ({ token }) as unknown as string),
  },
  // More than two: refusals, other errors, late errors, recovery, known keys, and creation in an outage.
  'TV-6': {
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
});

function comparing(isAccepted: (text: string, token: string) => boolean): VerifierMutation {
  return () => ({ matches: (text, { token }) => isAccepted(text, token) });
}

function refusing(reasonOf: (token: string, issued: string) => string): VerifierMutation {
  return (_, { issued: [{ token: first }] }) => ({
    refusal: (token) => ({ accepted: false, reason: reasonOf(token, first) }),
  });
}

/** A verifier that does this if it has no keys. */
function failing(fail: (error: PortError, keyServer: KeyServer) => Promise<TokenVerdict>): VerifierMutation {
  return ({ verify, loadKeys }, { keyServer }) => ({
    verify: (token) =>
      loadKeys().then(
        () => verify(token),
        (error) => fail(error, keyServer),
      ),
  });
}
