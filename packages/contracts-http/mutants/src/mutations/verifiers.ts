import { token } from '../mutated-service.ts';
import type { Mutation } from '../mutation.ts';

/** Accepts, besides the correct tokens, a text that compares equal to one of them. */
export function accepting(isAccepted: (text: string, token: string) => boolean): Mutation {
  return {
    tokens: (correct) => ({
      verify: async (text) => (isAccepted(text, token) ? { accepted: true, subject: 'test' } : correct.verify(text)),
    }),
  };
}
