import type { TokenVerdict } from '@plant-store/domain';
import { ModelVerifier, type VerifierClass } from '../model/model-verifier.ts';

/** Verifiers that pass every clause, each in a way that a clause which demands too much would fail. */
export const correctVerifiers: readonly (readonly [does: string, Verifier: VerifierClass])[] = [
  ['fetches its keys when it is first called, and caches them', ModelVerifier],
  [
    'returns a reason for a refusal',
    class extends ModelVerifier {
      protected override refusal(token: string): TokenVerdict {
        return { accepted: false, reason: `not known, and ${token.length} characters long` };
      }
    },
  ],
  [
    'takes five seconds to fetch its keys',
    class extends ModelVerifier {
      #fetched: Promise<void> | undefined;

      protected override async learn(): Promise<void> {
        await super.learn();
        this.#fetched ??= this.sleep(5_000);
        await this.#fetched;
      }
    },
  ],
  [
    'looks up every token anew, and so knows none in an outage',
    class extends ModelVerifier {
      protected override async learn(): Promise<void> {
        await this.withTimeout(this.keyServer.fetchKeys());
      }
    },
  ],
];
