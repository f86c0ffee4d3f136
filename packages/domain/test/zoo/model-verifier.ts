import { createHash } from 'node:crypto';
import type { Tools, VerifierUnderTest } from '../../src/contract/index.ts';
import type { TokenVerdict, TokenVerifier } from '../../src/index.ts';

/** A token as the model keeps it. The token itself is there for those members of the zoo that compare it badly. */
export interface IssuedToken {
  readonly token: string;
  readonly digest: string;
  readonly caller: string;
}

/** A correct verifier, in steps that a member of the zoo can get wrong one at a time. */
export class ModelVerifier implements TokenVerifier {
  protected readonly issued: readonly IssuedToken[];
  /** Accepted once, and no longer. */
  protected readonly revoked: readonly IssuedToken[];
  protected readonly sleep: Tools['sleep'];

  constructor(issued: readonly IssuedToken[], revoked: readonly IssuedToken[], { sleep }: Tools) {
    this.issued = issued;
    this.revoked = revoked;
    this.sleep = sleep;
  }

  async verify(token: string): Promise<TokenVerdict> {
    const known = await this.find(token);
    return known ? { accepted: true, subject: this.subject(known) } : REFUSED;
  }

  protected async find(token: string): Promise<IssuedToken | undefined> {
    return this.issued.find((known) => this.matches(token, known));
  }

  protected matches(token: string, { digest }: IssuedToken): boolean {
    return sha256(token) === digest;
  }

  protected subject({ caller }: IssuedToken): string {
    return caller;
  }
}

export const REFUSED: TokenVerdict = { accepted: false };

/** The model verifier, or one that gets a step of it wrong. */
export type VerifierClass = new (...parameters: ConstructorParameters<typeof ModelVerifier>) => ModelVerifier;

/** What the contract is run against. */
export function verifierUnderTest(Verifier: VerifierClass, tools: Tools): VerifierUnderTest {
  const issued = [issue('nursery'), issue('greenhouse'), issue('garden')] as const;
  const revoked = [issue('a caller of the past')];
  return {
    prepare: async () => ({
      verifier: new Verifier(issued, revoked, tools),
      tokens: [issued[0].token, issued[1].token, issued[2].token],
    }),
    impostors: async () => [...issued.map(({ digest }) => digest), ...revoked.map(({ token }) => token)],
  };
}

/** Longer than the 72 bytes that bcrypt looks at, in Base64 whose last character has unused bits, with a common prefix. */
function issue(caller: string): IssuedToken {
  const token = `plant-store_${createHash('sha512').update(caller).digest('base64url')}`;
  return { token, digest: sha256(token), caller };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
