import { createHash } from 'node:crypto';
import { type Mutation, mutate, type Tools } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import type { VerifierHarness } from '../src/index.ts';

/** The longest time, in milliseconds, until a call of the model settles. */
export const TIMEOUT_MS = 6_000;

/** A token as the model stores it. The token itself is there for mutants that compare it badly. */
export interface IssuedToken {
  readonly token: string;
  readonly digest: string;
  readonly client: string;
}

/** Longer than the 72 bytes that bcrypt compares, in Base64 whose last character has unused bits, with a common prefix. */
const issue = (client: string): IssuedToken => {
  const token = `plant-store_${createHash('sha512').update(client).digest('base64url')}`;
  return { token, digest: sha256(token), client };
};
const issued = [issue('nursery'), issue('greenhouse'), issue('garden')] as const;
const revoked = [issue('a former client')] as const;

/** A simulated server outside the process that a verifier has its keys from. */
export interface KeyServer {
  readonly sleep: Tools['sleep'];
  /** Resolves when the outage has ended; undefined while there is none. */
  outage?: Promise<void> | undefined;
}

/**
 * A correct verifier, in steps that a mutant can get wrong one at a time. It fetches its keys when it is first
 * called, and caches them.
 */
class ModelVerifier implements TokenVerifier {
  readonly issued = issued;
  /** Accepted once, and no longer. */
  readonly revoked = revoked;
  readonly keyServer: KeyServer;
  #keys: Promise<void> | undefined;

  constructor(keyServer: KeyServer) {
    this.keyServer = keyServer;
  }

  async verify(token: string): Promise<TokenVerdict> {
    await this.learn();
    const known = await this.find(token);
    return known ? { accepted: true, subject: this.subject(known) } : this.refusal(token);
  }

  /** Fetches the keys, unless it has them. */
  async learn(): Promise<void> {
    this.#keys ??= this.withTimeout(this.fetchKeys()).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    await this.#keys;
  }

  /** A round trip: a millisecond or, in an outage, until the outage has ended. */
  async fetchKeys(): Promise<void> {
    await this.keyServer.sleep(1);
    await this.keyServer.outage;
  }

  /** Waits, but not longer than the verifier may take. */
  async withTimeout(call: Promise<void>): Promise<void> {
    const late = this.keyServer.sleep(TIMEOUT_MS).then(() => {
      throw new VerifierUnavailable(`the server with the keys did not answer within ${TIMEOUT_MS} ms`);
    });
    return Promise.race([call, late]);
  }

  async find(token: string): Promise<IssuedToken | undefined> {
    return this.issued.find((known) => this.matches(token, known));
  }

  readonly matches = (token: string, { digest }: IssuedToken): boolean => sha256(token) === digest;

  readonly refusal = (_token: string): TokenVerdict => REFUSED;
  readonly subject = ({ client }: IssuedToken): string => client;
}

export const REFUSED: TokenVerdict = { accepted: false };

/** What a verifier gets wrong: steps of the model in place of its own. */
export type VerifierMutation = Mutation<ModelVerifier>;

/** What the contract is run against. */
export function verifierHarness(mutation: VerifierMutation, tools: Tools): VerifierHarness {
  const keyServer: KeyServer = { sleep: tools.sleep };
  return {
    capabilities: { external: true, timeoutMs: TIMEOUT_MS },
    prepare: async () => ({
      verifier: mutate(new ModelVerifier(keyServer), mutation),
      tokens: [issued[0].token, issued[1].token, issued[2].token],
    }),
    impostors: async () => [...issued.map(({ digest }) => digest), ...revoked.map(({ token }) => token)],
    async startOutage() {
      const { promise, resolve } = Promise.withResolvers<void>();
      keyServer.outage = promise;
      return async () => {
        keyServer.outage = undefined;
        resolve();
      };
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
