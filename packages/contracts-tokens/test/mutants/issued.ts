import type { TokenVerdict } from '@plant-store/domain';
import { type IssuedToken, ModelVerifier, REFUSED } from '../model/model-verifier.ts';
import type { VerifierMutant } from './mutant.ts';

const presentedAgain = {
  clauses: ['TV-3', 'TV-6'],
  because: 'tokens in turn are presented again as well, and so they are in an outage and after it',
};

/** Break TV-1: an issued token is accepted, as often as it is presented. */
export const issued: readonly VerifierMutant[] = [
  {
    does: 'accepts a token once',
    breaks: 'TV-1',
    alsoBreaks: presentedAgain,
    Verifier: class extends ModelVerifier {
      readonly #seen = new Set<string>();

      override async verify(token: string): Promise<TokenVerdict> {
        if (this.#seen.has(token)) return REFUSED;
        this.#seen.add(token);
        return super.verify(token);
      }
    },
  },
  {
    does: 'checks the form of a token with a stateful regular expression',
    breaks: 'TV-1',
    alsoBreaks: presentedAgain,
    Verifier: class extends ModelVerifier {
      readonly #form = /^[\w~+/.-]+=*$/g;

      override async verify(token: string): Promise<TokenVerdict> {
        return this.#form.test(token) ? super.verify(token) : REFUSED;
      }
    },
  },
  {
    does: 'refuses until its keys are loaded, and loads them when it is first called',
    breaks: 'TV-1',
    alsoBreaks: {
      clauses: ['TV-3', 'TV-6'],
      because: 'the first of the tokens in turn is the first to be presented, and so it is in an outage',
    },
    Verifier: class extends ModelVerifier {
      #loaded = false;

      override async verify(token: string): Promise<TokenVerdict> {
        const verdict = this.#loaded ? await super.verify(token) : REFUSED;
        this.#loaded = true;
        return verdict;
      }
    },
  },
  {
    does: 'accepts a token ten times',
    breaks: 'TV-1',
    Verifier: class extends ModelVerifier {
      #left = 10;

      override async verify(token: string): Promise<TokenVerdict> {
        const verdict = await super.verify(token);
        if (verdict.accepted) this.#left -= 1;
        return this.#left < 0 ? REFUSED : verdict;
      }
    },
  },
  {
    does: 'refuses a token while it verifies another one',
    breaks: 'TV-1',
    Verifier: class extends ModelVerifier {
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
];
