import { HttpError } from '@plant-store/http-edge';
import { missingTokens } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import { token } from '../mutated-service.ts';
import { cachingByBody } from '../mutations/cache.ts';
import { keepOne, rewriteHeader } from '../mutations/requests.ts';
import { errorMessage, errorStatus, rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { onFastify } from '../mutations/server.ts';
import { accepting, authenticate } from '../mutations/verifiers.ts';

/** Break HC-31 to HC-37: bearer tokens. */
export const authentication: readonly Mutant[] = [
  {
    does: 'recognizes only Bearer as the scheme',
    breaks: 'HC-31',
    mutation: rewriteHeader('authorization', (value) => (/^Bearer/.test(value ?? '') ? value : undefined)),
  },
  {
    does: 'recognizes only Bearer and bearer as the scheme',
    breaks: 'HC-31',
    mutation: rewriteHeader('authorization', (value) => (/^[Bb]earer/.test(value ?? '') ? value : undefined)),
  },
  {
    does: 'stores one token',
    breaks: 'HC-32',
    mutation: {
      tokens: (correct) => ({ verify: async (text) => (text === token ? correct.verify(text) : { accepted: false }) }),
    },
  },
  {
    does: 'returns 403 without a token',
    breaks: 'HC-33',
    alsoBreaks: missingTokens,
    mutation: errorStatus(['missing-token'], 403),
  },
  {
    does: 'returns 400 without a token',
    breaks: 'HC-33',
    alsoBreaks: missingTokens,
    mutation: errorStatus(['missing-token'], 400),
  },
  {
    does: 'returns 401 without WWW-Authenticate',
    breaks: 'HC-33',
    alsoBreaks: { clauses: ['HC-35', 'HC-37', 'HC-64'], because: 'they look at the challenge as well' },
    mutation: rewriteError(['missing-token'], (_record, outgoing) => ({
      headers: { ...outgoing.headers, 'www-authenticate': undefined },
    })),
  },
  {
    does: 'calls a missing token an invalid one',
    breaks: 'HC-33',
    alsoBreaks: { clauses: ['HC-35', 'HC-37'], because: 'they look at the challenge as well' },
    mutation: challenging('missing-token', 'Bearer realm="plant-store", error="invalid_token"'),
  },
  {
    does: 'accepts requests without an Authorization header',
    breaks: 'HC-33',
    alsoBreaks: {
      clauses: ['HC-35', 'HC-37', 'HC-54', 'HC-59', 'HC-63'],
      because: 'they have requests without that header as well',
    },
    mutation: rewriteHeader('authorization', (value) => value ?? `Bearer ${token}`),
  },
  {
    does: 'takes the token without a scheme',
    breaks: 'HC-33',
    mutation: rewriteHeader('authorization', (value) => (value === token ? `Bearer ${token}` : value)),
  },
  {
    does: 'cuts seven characters off, whatever the scheme',
    breaks: 'HC-33',
    mutation: rewriteHeader('authorization', (value) => value && `Bearer ${value.slice(7)}`),
  },
  {
    does: 'treats the last word as the token, whatever the scheme',
    breaks: 'HC-33',
    mutation: rewriteHeader('authorization', (value) => value?.replace(/^(Basic|Token) /, 'Bearer ')),
  },
  {
    does: 'responds from a cache, by the body, before it checks the token',
    breaks: 'HC-33',
    alsoBreaks: {
      clauses: ['HC-34', 'HC-35', 'HC-36'],
      because: 'any client that sends a body that got 200 before gets it again',
    },
    mutation: cachingByBody,
  },
  {
    does: 'accepts the beginning of a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => accepted.startsWith(text)),
  },
  {
    does: 'accepts a text that begins with a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.startsWith(accepted)),
  },
  {
    does: 'accepts a text that contains a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.includes(accepted)),
  },
  {
    does: 'compares tokens without case',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.toLowerCase() === accepted.toLowerCase()),
  },
  {
    does: 'removes quotes from a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text === `"${accepted}"`),
  },
  {
    does: 'returns 403 for a wrong token',
    breaks: 'HC-34',
    alsoBreaks: {
      clauses: ['HC-37', 'HC-54', 'HC-57', 'HC-64'],
      because: 'they have requests with a wrong token as well',
    },
    mutation: errorStatus(['token-not-accepted'], 403),
  },
  {
    does: 'leaves error="invalid_token" out',
    breaks: 'HC-34',
    alsoBreaks: { clauses: ['HC-37'], because: 'it checks the challenge as well' },
    mutation: challenging('token-not-accepted', 'Bearer realm="plant-store"'),
  },
  {
    does: 'repeats the wrong token in the message',
    breaks: 'HC-34',
    mutation: errorMessage(['token-not-accepted'], (message, { headers }) => `${message}: ${headers.authorization}`),
  },
  {
    does: 'fails for a token that is not ASCII',
    breaks: 'HC-34',
    mutation: {
      tokens: (correct) => ({
        verify: async (text) => {
          if (/[^\x20-\x7e]/.test(text)) throw new TypeError('Invalid character');
          return correct.verify(text);
        },
      }),
    },
  },
  {
    does: 'reads the token from the query',
    breaks: 'HC-35',
    mutation: rewriteHeader('authorization', (value, { url }) => {
      const given = new URL(`http://plants${url}`).searchParams.get('access_token');
      return given === null ? value : `Bearer ${given}`;
    }),
  },
  {
    does: 'reads the token from a cookie',
    breaks: 'HC-35',
    mutation: rewriteHeader(
      'authorization',
      (value, { headers }) => headers.cookie?.replace('access_token=', 'Bearer ') ?? value,
    ),
  },
  {
    does: 'reads the token from X-Api-Key',
    breaks: 'HC-35',
    mutation: rewriteHeader('authorization', (value, { headers }) =>
      headers['x-api-key'] ? `Bearer ${headers['x-api-key']}` : value,
    ),
  },
  {
    does: 'reads the token from Proxy-Authorization',
    breaks: 'HC-35',
    mutation: rewriteHeader('authorization', (value, { headers }) => value ?? headers['proxy-authorization']),
  },
  { does: 'takes the first of two tokens', breaks: 'HC-36', mutation: keepOne('authorization', 'first') },
  { does: 'takes the last of two tokens', breaks: 'HC-36', mutation: keepOne('authorization', 'last') },
  {
    does: 'treats two equal Authorization headers as one',
    breaks: 'HC-36',
    mutation: keepOne('authorization', 'first', (values) => new Set(values).size === 1),
  },
  {
    does: 'returns 401 for two tokens',
    breaks: 'HC-36',
    mutation: rewriteResponse(({ body }) =>
      body.includes('one authorization')
        ? { status: 401, body: JSON.stringify({ error: 40102, message: 'the access token is not accepted' }) }
        : {},
    ),
  },
  {
    does: 'checks the token when it has the body',
    breaks: 'HC-37',
    alsoBreaks: { clauses: ['HC-57', 'HC-59', 'HC-63'], because: 'they expect a refusal before they have sent a body' },
    mutation: onFastify((app) => {
      const presented = new WeakMap<object, string | undefined>();
      app.server.prependListener('request', (request) => {
        presented.set(request, request.headers.authorization);
        request.headers.authorization = `Bearer ${token}`;
      });
      app.addHook('preHandler', async ({ raw }) => {
        if (raw.method !== 'POST') return;
        const authorization = presented.get(raw);
        await authenticate(authorization);
      });
    }),
  },
  {
    does: 'checks the media type before the token',
    breaks: 'HC-37',
    mutation: onFastify((app) =>
      app.addHook('onRequest', async ({ raw, is404 }) => {
        if (is404 || raw.method !== 'POST' || /json/i.test(raw.headers['content-type'] ?? '')) return;
        throw new HttpError('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
      }),
    ),
  },
];

function challenging(kind: 'missing-token' | 'token-not-accepted', challenge: string) {
  return rewriteError([kind], (_record, { headers }) => ({ headers: { ...headers, 'www-authenticate': challenge } }));
}
