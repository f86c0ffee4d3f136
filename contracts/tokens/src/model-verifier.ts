import { createHash } from 'node:crypto';
import { type Mutation, mutate, type Tools } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import type { VerifierHarness } from './verifier-harness.ts';

/** The time-out of a call, in milliseconds. */
export const TIMEOUT_MS = 6_000;

/** A token as the model stores it. Only mutants compare the token itself. */
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

/** A simulated server from which a verifier fetches its keys. */
export interface KeyServer {
  readonly sleep: Tools['sleep'];
  /** Resolves when the outage ends. */
  outage?: Promise<void> | undefined;
}

/**
 * A correct verifier, in steps that a mutant can get wrong one at a time. It fetches its keys when it is first
 * called, and caches them.
 */
class ModelVerifier implements TokenVerifier {
  readonly issued = issued;
  /** Tokens that are no longer accepted. */
  readonly revoked = revoked;
  readonly keyServer: KeyServer;
  #keys: Promise<void> | undefined;

  constructor(keyServer: KeyServer) {
    this.keyServer = keyServer;
  }

  async verify(token: string): Promise<TokenVerdict> {
    await this.loadKeys();
    const known = await this.find(token);
    return known ? { accepted: true, subject: this.subject(known) } : this.refusal(token);
  }

  /** Fetches the keys, unless it has them. */
  async loadKeys(): Promise<void> {
    this.#keys ??= this.withTimeout(this.fetchKeys()).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    await this.#keys;
  }

  /** Takes a millisecond, or waits for the end of an outage. */
  async fetchKeys(): Promise<void> {
    await this.keyServer.sleep(1);
    await this.keyServer.outage;
  }

  /** Waits for a call, at most for the time-out. */
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

/** The steps of the model that a mutant replaces. */
export type VerifierMutation = Mutation<ModelVerifier>;

/** Makes the harness of the model, with a mutation. */
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
