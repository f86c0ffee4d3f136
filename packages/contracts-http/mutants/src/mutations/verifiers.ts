import { HttpError } from '@plant-store/http-edge';
import { correctTokens, token } from '../mutated-service.ts';
import type { Mutation } from '../mutation.ts';

/** Accepts, besides the correct tokens, a text that compares equal to one of them. */
export function accepting(isAccepted: (text: string, token: string) => boolean): Mutation {
  return {
    tokens: (correct) => ({
      verify: async (text) => (isAccepted(text, token) ? { accepted: true, subject: 'test' } : correct.verify(text)),
    }),
  };
}

const challenge = 'Bearer realm="plant-store"';

/** Refuses what the good service refuses, for mutants that do so at another time or place. */
export async function authenticate(authorization = ''): Promise<void> {
  const [, presented] = /^bearer +(.+)$/i.exec(authorization) ?? [];
  if (presented === undefined)
    throw new HttpError('missing-token', 'send a bearer token', { 'www-authenticate': challenge });
  if ((await correctTokens.verify(presented)).accepted) return;
  const invalid = { 'www-authenticate': `${challenge}, error="invalid_token"` };
  throw new HttpError('token-not-accepted', 'the access token is not accepted', invalid);
}
