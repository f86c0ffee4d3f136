import { mutantTable } from '@plant-store/contracts-kit';
import { type IssuedToken, ModelVerifier } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

/** Break TV-3: several tokens are accepted concurrently. */
export const sideBySide: readonly VerifierMutant[] = mutantTable({
  'TV-3': {
    'indexes its tokens by their first eight characters, which may be equal': class extends ModelVerifier {
      protected override async find(text: string): Promise<IssuedToken | undefined> {
        const candidate = this.issued.find(({ token }) => token.slice(0, 8) === text.slice(0, 8));
        return candidate && this.matches(text, candidate) ? candidate : undefined;
      }
    },
    'revokes the token that it accepted before when it accepts another one': class extends ModelVerifier {
      readonly #ended = new Set<IssuedToken>();
      #current: IssuedToken | undefined;

      protected override async find(text: string): Promise<IssuedToken | undefined> {
        const known = await super.find(text);
        if (!known || this.#ended.has(known)) return undefined;
        if (this.#current && this.#current !== known) this.#ended.add(this.#current);
        this.#current = known;
        return known;
      }
    },
  },
});
