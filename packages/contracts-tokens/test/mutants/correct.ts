import type { TokenVerdict } from '@plant-store/domain';
import { ModelVerifier, type VerifierClass } from '../model/model-verifier.ts';

/** Verifiers that keep every clause, each in a way that a clause which asks too much would take for a broken one. */
export const correctVerifiers: readonly { readonly does: string; readonly Verifier: VerifierClass }[] = [
  { does: 'fetches its keys when it is first asked, and keeps them', Verifier: ModelVerifier },
  {
    does: 'says why it refuses a token',
    Verifier: class extends ModelVerifier {
      protected override refusal(token: string): TokenVerdict {
        return { accepted: false, reason: `not known, and ${token.length} characters long` };
      }
    },
  },
  {
    does: 'takes five seconds to fetch its keys',
    Verifier: class extends ModelVerifier {
      #fetched: Promise<void> | undefined;

      protected override async learn(): Promise<void> {
        await super.learn();
        this.#fetched ??= this.sleep(5_000);
        await this.#fetched;
      }
    },
  },
  {
    does: 'asks about every token anew, and so can tell of none in an outage',
    Verifier: class extends ModelVerifier {
      protected override async learn(): Promise<void> {
        await this.inTime(this.keyServer.fetchKeys());
      }
    },
  },
];
