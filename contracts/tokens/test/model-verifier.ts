import { createHash } from 'node:crypto';
import { type Mutation, mutate, type Tools } from '@plant-store/contracts-kit';
import { type TokenVerdict, type TokenVerifier, VerifierUnavailable } from '@plant-store/domain';
import type { VerifierHarness } from '../../src/index.ts';
import { KeyServer } from './key-server.ts';

/** The longest time, in milliseconds, until a call of the model settles. */
export const TIMEOUT_MS = 6_000;

/** A token as the model stores it. The token itself is there for mutants that compare it badly. */
export interface IssuedToken {
  readonly token: string;
  readonly digest: string;
  readonly client: string;
}

/**
 * A correct verifier, in steps that a mutant can get wrong one at a time. It fetches its keys when it is first
 * called, and caches them.
 */
class ModelVerifier implements TokenVerifier {
  readonly issued: readonly IssuedToken[];
  /** Accepted once, and no longer. */
  readonly revoked: readonly IssuedToken[];
  readonly keyServer: KeyServer;
  #keys: Promise<void> | undefined;

  constructor(issued: readonly IssuedToken[], revoked: readonly IssuedToken[], keyServer: KeyServer) {
    this.issued = issued;
    this.revoked = revoked;
    this.keyServer = keyServer;
  }

  async verify(token: string): Promise<TokenVerdict> {
    await this.learn();
    const known = await this.find(token);
    return known ? { accepted: true, subject: this.subject(known) } : this.refusal(token);
  }

  /** Fetches the keys, unless it has them. */
  async learn(): Promise<void> {
    this.#keys ??= this.withTimeout(this.keyServer.fetchKeys()).catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    await this.#keys;
  }

  /** Waits, but not longer than the verifier may take. */
  async withTimeout<T>(call: Promise<T>): Promise<T> {
    const late = this.keyServer.sleep(TIMEOUT_MS).then(() => {
      throw new VerifierUnavailable(`the server with the keys did not answer within ${TIMEOUT_MS} ms`);
    });
    return Promise.race([call, late]);
  }

  async find(token: string): Promise<IssuedToken | undefined> {
    return this.issued.find((known) => this.matches(token, known));
  }

  matches(token: string, { digest }: IssuedToken): boolean {
    return sha256(token) === digest;
  }

  refusal(_token: string): TokenVerdict {
    return REFUSED;
  }

  subject({ client }: IssuedToken): string {
    return client;
  }
}

export const REFUSED: TokenVerdict = { accepted: false };

/** What a verifier gets wrong: steps of the model in place of its own. */
export type VerifierMutation = Mutation<ModelVerifier>;

/** What the contract is run against. */
export function verifierHarness(mutation: VerifierMutation, tools: Tools): VerifierHarness {
  const issued = [issue('nursery'), issue('greenhouse'), issue('garden')] as const;
  const revoked = [issue('a former client')];
  const keyServer = new KeyServer(tools);
  return {
    capabilities: { external: true, timeoutMs: TIMEOUT_MS },
    prepare: async () => ({
      verifier: mutate(new ModelVerifier(issued, revoked, keyServer), mutation),
      tokens: [issued[0].token, issued[1].token, issued[2].token],
    }),
    impostors: async () => [...issued.map(({ digest }) => digest), ...revoked.map(({ token }) => token)],
    startOutage: async () => keyServer.startOutage(),
  };
}

/** Longer than the 72 bytes that bcrypt compares, in Base64 whose last character has unused bits, with a common prefix. */
function issue(client: string): IssuedToken {
  const token = `plant-store_${createHash('sha512').update(client).digest('base64url')}`;
  return { token, digest: sha256(token), client };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
