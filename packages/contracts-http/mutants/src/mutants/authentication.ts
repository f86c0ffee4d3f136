import { HttpError } from '@plant-store/adapters-http';
import { tokensMissed } from '../also-breaks.ts';
import type { Mutant } from '../mutant.ts';
import { token } from '../mutated-service.ts';
import { errorMessage, errorStatus, rewriteAnswer, rewriteError } from '../mutations/answers.ts';
import { cachingByBody } from '../mutations/cache.ts';
import { keepOne, rewriteHeader } from '../mutations/requests.ts';
import { onFastify } from '../mutations/server.ts';
import { accepting, authenticate } from '../mutations/verifiers.ts';

/** Break HC-31 to HC-37: bearer tokens. */
export const authentication: readonly Mutant[] = [
  {
    does: 'knows the scheme as Bearer only',
    breaks: 'HC-31',
    mutation: rewriteHeader('authorization', (value) => (/^Bearer/.test(value ?? '') ? value : undefined)),
  },
  {
    does: 'knows the scheme as Bearer and bearer only',
    breaks: 'HC-31',
    mutation: rewriteHeader('authorization', (value) => (/^[Bb]earer/.test(value ?? '') ? value : undefined)),
  },
  {
    does: 'holds one token',
    breaks: 'HC-32',
    mutation: {
      tokens: (good) => ({ verify: async (text) => (text === token ? good.verify(text) : { accepted: false }) }),
    },
  },
  {
    does: 'answers 403 without a token',
    breaks: 'HC-33',
    alsoBreaks: tokensMissed,
    mutation: errorStatus(['missing-token'], 403),
  },
  {
    does: 'answers 400 without a token',
    breaks: 'HC-33',
    alsoBreaks: tokensMissed,
    mutation: errorStatus(['missing-token'], 400),
  },
  {
    does: 'answers 401 without WWW-Authenticate',
    breaks: 'HC-33',
    alsoBreaks: { clauses: ['HC-35', 'HC-37', 'HC-64'], because: 'they look at the challenge as well' },
    mutation: rewriteError(['missing-token'], (_record, answer) => ({
      headers: { ...answer.headers, 'www-authenticate': undefined },
    })),
  },
  {
    does: 'calls a missing token an invalid one',
    breaks: 'HC-33',
    alsoBreaks: { clauses: ['HC-35', 'HC-37'], because: 'they look at the challenge as well' },
    mutation: challenging('missing-token', 'Bearer realm="plant-store", error="invalid_token"'),
  },
  {
    does: 'lets everybody in who sends no Authorization header',
    breaks: 'HC-33',
    alsoBreaks: {
      clauses: ['HC-35', 'HC-37', 'HC-54', 'HC-59'],
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
    does: 'takes the last word for the token, whatever the scheme',
    breaks: 'HC-33',
    mutation: rewriteHeader('authorization', (value) => value?.replace(/^(Basic|Token) /, 'Bearer ')),
  },
  {
    does: 'answers from a cache, by the body, before it looks at the token',
    breaks: 'HC-33',
    alsoBreaks: {
      clauses: ['HC-34', 'HC-35', 'HC-36'],
      because: 'whoever sends a body that was answered 200 is answered so again',
    },
    mutation: cachingByBody,
  },
  {
    does: 'accepts the beginning of a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => accepted.startsWith(text)),
  },
  {
    does: 'accepts what begins with a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.startsWith(accepted)),
  },
  {
    does: 'accepts what holds a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.includes(accepted)),
  },
  {
    does: 'compares tokens without case',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text.toLowerCase() === accepted.toLowerCase()),
  },
  {
    does: 'takes quotes off a token',
    breaks: 'HC-34',
    mutation: accepting((text, accepted) => text === `"${accepted}"`),
  },
  {
    does: 'answers 403 for a wrong token',
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
    alsoBreaks: { clauses: ['HC-37'], because: 'it looks at the challenge as well' },
    mutation: challenging('token-not-accepted', 'Bearer realm="plant-store"'),
  },
  {
    does: 'repeats the wrong token in the message',
    breaks: 'HC-34',
    mutation: errorMessage(['token-not-accepted'], (message, { headers }) => `${message}: ${headers.authorization}`),
  },
  {
    does: 'makes a token that is not ASCII an internal error',
    breaks: 'HC-34',
    mutation: {
      tokens: (good) => ({
        verify: async (text) => {
          if (/[^\x20-\x7e]/.test(text)) throw new TypeError('Invalid character');
          return good.verify(text);
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
    does: 'takes two Authorization headers that say the same for one',
    breaks: 'HC-36',
    mutation: keepOne('authorization', 'first', (values) => new Set(values).size === 1),
  },
  {
    does: 'answers 401 for two tokens',
    breaks: 'HC-36',
    mutation: rewriteAnswer(({ body }) =>
      body.includes('one authorization')
        ? { status: 401, body: JSON.stringify({ error: 40102, message: 'the access token is not accepted' }) }
        : {},
    ),
  },
  {
    does: 'checks the token when it has the body',
    breaks: 'HC-37',
    alsoBreaks: { clauses: ['HC-57', 'HC-59'], because: 'they wait for a refusal before they send the body' },
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
    does: 'looks at the media type before the token',
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
