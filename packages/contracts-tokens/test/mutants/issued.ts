import { mutantTable } from '@plant-store/contracts-kit';
import type { TokenVerdict } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier, REFUSED } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-1: an issued token is accepted, as often as it is presented. */
export const issued: readonly VerifierMutant[] = mutantTable({
  'TV-1': {
    'refuses until its keys are loaded, and loads them when it is first called': class extends ModelVerifier {
      #loaded = false;

      override async verify(token: string): Promise<TokenVerdict> {
        const verdict = this.#loaded ? await super.verify(token) : REFUSED;
        this.#loaded = true;
        return verdict;
      }
    },
    'refuses a token while it verifies another one': class extends ModelVerifier {
      #busy = false;

      protected override async find(token: string): Promise<IssuedToken | undefined> {
        if (this.#busy) return undefined;
        this.#busy = true;
        await this.sleep(1);
        this.#busy = false;
        return super.find(token);
      }
    },
  },
});
