import type { IssuedToken } from '../model-verifier.ts';
import { ModelVerifier, type VerifierClass } from '../model-verifier.ts';

/** Verifiers that keep every clause. */
export const correctVerifiers: readonly { readonly does: string; readonly Verifier: VerifierClass }[] = [
  { does: 'compares digests', Verifier: ModelVerifier },
  {
    does: 'fetches its keys when it is first asked, which takes five seconds',
    Verifier: class extends ModelVerifier {
      #keys: Promise<void> | undefined;

      protected override async find(text: string): Promise<IssuedToken | undefined> {
        this.#keys ??= this.sleep(5_000);
        await this.#keys;
        return super.find(text);
      }
    },
  },
];
