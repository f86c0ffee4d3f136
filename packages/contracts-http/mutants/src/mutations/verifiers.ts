import { token } from '../mutated-service.ts';
import type { Mutation } from '../mutation.ts';

/** Besides the good tokens, a text is accepted that compares well with one of them. */
export function accepting(isAccepted: (text: string, token: string) => boolean): Mutation {
  return {
    tokens: (good) => ({
      verify: async (text) => (isAccepted(text, token) ? { accepted: true, subject: 'test' } : good.verify(text)),
    }),
  };
}
