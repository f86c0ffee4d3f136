import type { TokenVerdict } from '@plant-store/domain';
import { ModelVerifier, type VerifierClass } from '../model/model-verifier.ts';

/** Verifiers that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctVerifiers: readonly { readonly does: string; readonly Verifier: VerifierClass }[] = [
  { does: 'fetches its keys when it is first called, and caches them', Verifier: ModelVerifier },
  {
    does: 'returns a reason for a refusal',
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
    does: 'looks up every token anew, and so knows none in an outage',
    Verifier: class extends ModelVerifier {
      protected override async learn(): Promise<void> {
        await this.withTimeout(this.keyServer.fetchKeys());
      }
    },
  },
];
