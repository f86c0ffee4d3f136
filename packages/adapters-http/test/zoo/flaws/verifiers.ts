import type { Flaw } from '../flaw.ts';
import { token } from '../flawed-service.ts';

/** Besides the good tokens, a text is accepted that compares well with one of them. */
export function accepting(isAccepted: (text: string, token: string) => boolean): Flaw {
  return {
    tokens: (good) => ({
      verify: async (text) => (isAccepted(text, token) ? { accepted: true, subject: 'test' } : good.verify(text)),
    }),
  };
}
