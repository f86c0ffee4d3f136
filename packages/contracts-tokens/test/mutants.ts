import { timingSafeEqual } from 'node:crypto';
import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type TokenVerdict, VerifierUnavailable } from '@plant-store/domain';
import type { KeyServer } from './model/key-server.ts';
import { type IssuedToken, REFUSED, sha256, TIMEOUT_MS, type VerifierMutation } from './model/model-verifier.ts';

/** Verifiers that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctVerifiers: readonly (readonly [does: string, mutation: VerifierMutation])[] = [
  ['fetches its keys when it is first called, and caches them', () => ({})],
  ['returns a reason for a refusal', refusing((token) => `not known, and ${token.length} characters long`)],
  [
    'takes five seconds to fetch its keys',
    ({ learn }, { keyServer }) => {
      let fetched: Promise<void> | undefined;
      return {
        async learn() {
          await learn();
          fetched ??= keyServer.sleep(5_000);
          await fetched;
        },
      };
    },
  ],
  [
    'looks up every token anew, and so knows none in an outage',
    ({ withTimeout }, { keyServer }) => ({ learn: () => withTimeout(keyServer.fetchKeys()) }),
  ],
];

/** Every mutant, in the order of the clauses that they break. */
export const verifierMutants: readonly Mutant<VerifierMutation>[] = mutantTable<VerifierMutation>({
  'TV-1': {
    'refuses until its keys are loaded, and loads them when it is first called': ({ verify }) => {
      let isLoaded = false;
      return {
        async verify(token) {
          const verdict = isLoaded ? await verify(token) : REFUSED;
          isLoaded = true;
          return verdict;
        },
      };
    },
    'refuses a token while it verifies another one': ({ find }, { keyServer }) => {
      let isBusy = false;
      return {
        async find(token) {
          if (isBusy) return undefined;
          isBusy = true;
          await keyServer.sleep(1);
          isBusy = false;
          return find(token);
        },
      };
    },
  },
  'TV-2': {
    'accepts a prefix of a token': comparing((text, token) => text !== '' && token.startsWith(text)),
    'accepts what begins with a token': comparing((text, token) => text.startsWith(token)),
    'compares the first 20 characters': comparing((text, token) => text.slice(0, 20) === token.slice(0, 20)),
    'compares the first 72 bytes, as bcrypt does': comparing((text, token) => text.slice(0, 72) === token.slice(0, 72)),
    'compares lengths': comparing((text, token) => text.length === token.length),
    'trims the text': comparing((text, token) => text.trim() === token),
    'takes the scheme off the text': comparing((text, token) => text.replace(/^Bearer /, '') === token),
    'normalizes the text to NFKC': comparing((text, token) => text.normalize('NFKC') === token),
    'compares what Base64 decodes to': comparing((text, token) =>
      Buffer.from(text, 'base64url').equals(Buffer.from(token, 'base64url')),
    ),
    'accepts a token that nobody signed': comparing(
      (text, token) => /^eyJhbGciOiJub25lIn0\./.test(text) || text === token,
    ),
    'takes the text for a regular expression': comparing(isMatch),
    'accepts the digest of a token': comparing((text, token) => text === sha256(token) || text === token),
    'looks the text up among the properties of an object, inherited ones included': (_, { issued }) => ({
      async find(text) {
        const clients = Object.fromEntries(issued.map((known) => [known.token, known]));
        return text in clients ? issued[0] : undefined;
      },
    }),
    'goes on accepting a token that was revoked': ({ matches }, { issued, revoked }) => ({
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
      const ended = new Set<IssuedToken>();
      let current: IssuedToken | undefined;
      return {
        async find(text) {
          const known = await find(text);
          if (!known || ended.has(known)) return undefined;
          if (current && current !== known) ended.add(current);
          current = known;
          return known;
        },
      };
    },
  },
  'TV-4': {
    'compares texts of different lengths with timingSafeEqual, which throws': comparing((text, token) =>
      timingSafeEqual(Buffer.from(text), Buffer.from(token)),
    ),
    'throws at a text that no header can carry': throwing((text) => /[^\x20-\x7e]/.test(text)),
    'throws at a text that is too long': throwing((text) => text.length > 8_192),
    'throws for a revoked token': ({ verify, matches }, { revoked }) => ({
      async verify(text) {
        if (revoked.some((known) => matches(text, known))) throw new Error('token expired');
        return verify(text);
      },
    }),
    'throws VerifierUnavailable for an unknown token': ({ verify }) => ({
      async verify(text) {
        const verdict = await verify(text);
        if (!verdict.accepted) throw new VerifierUnavailable('no key has signed this token');
        return verdict;
      },
    }),
    'resolves with undefined for an unknown text': () => ({ refusal: () => undefined as unknown as TokenVerdict }),
  },
  'TV-5': {
    'names the client by the token': naming(({ token }) => token),
    'names the client by the token in lower case': naming(({ token }) => token.toLowerCase()),
    'leaves the name of the client empty': naming(() => ''),
    'names the client by an object that has the token': naming((known) => known as unknown as string),
    'quotes what was presented in the reason of a refusal': refusing((token) => `${token} is not known`),
    'gives the tokens that it would accept as the reason of a refusal': refusing((_token, [first]) => `not ${first}`),
    'has an object for a reason': refusing((token) => ({ token }) as unknown as string),
  },
  'TV-6': {
    'refuses every token while it has no keys': failing(async () => REFUSED),
    'lets everybody in while it has no keys': failing(async () => ({ accepted: true, subject: 'a client' })),
    'throws a VerifierUnavailable from another copy of the package': failing(async () => {
      throw Object.assign(new Error('no keys'), { name: 'VerifierUnavailable' });
    }),
    'throws only after twice the time that it may take': failing(async (error, { sleep }) => {
      await sleep(TIMEOUT_MS);
      throw error;
    }),
    'caches the promise of its keys when it was rejected': ({ learn }) => {
      let learning: Promise<void> | undefined;
      return { learn: () => (learning ??= learn()) };
    },
    'does not fetch its keys for ten minutes after a failure': ({ learn }, { keyServer }) => {
      let hasFailed = false;
      return {
        async learn() {
          if (hasFailed) throw new VerifierUnavailable('cooling down');
          await learn().catch((error) => {
            hasFailed = true;
            void keyServer.sleep(600_000).then(() => (hasFailed = false));
            throw error;
          });
        },
      };
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

function isMatch(pattern: string, token: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(token);
  } catch {
    return false;
  }
}

function throwing(isThrownAt: (text: string) => boolean): VerifierMutation {
  return ({ verify }) => ({
    async verify(text) {
      if (isThrownAt(text)) throw new TypeError('invalid token');
      return verify(text);
    },
  });
}

function refusing(reasonOf: (token: string, issued: readonly string[]) => string): VerifierMutation {
  return (_, { issued }) => ({
    refusal(token) {
      const tokens = issued.map((known) => known.token);
      return { accepted: false, reason: reasonOf(token, tokens) };
    },
  });
}

function naming(subject: (known: IssuedToken) => string): VerifierMutation {
  return () => ({ subject });
}

/** A verifier with its own way to fail without keys. */
function failing(fail: (error: unknown, keyServer: KeyServer) => Promise<TokenVerdict>): VerifierMutation {
  return ({ verify, learn }, { keyServer }) => ({
    verify: (token) =>
      learn().then(
        () => verify(token),
        (error) => fail(error, keyServer),
      ),
  });
}
