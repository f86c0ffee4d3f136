import { HttpError } from '@plant-store/http-edge';
import { token } from '../mutated-service.ts';
import type { Mutants } from '../mutation.ts';
import { keepFirst, rewriteHeader } from '../mutations/requests.ts';
import { errorMessage, rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { onFastify } from '../mutations/server.ts';
import { accepting, authenticate } from '../mutations/verifiers.ts';

/** Break HC-31 to HC-37: bearer tokens. */
export const authentication: Mutants = {
  'HC-31': {
    'recognizes only Bearer and bearer as the scheme': rewriteHeader('authorization', (value) =>
      /^[Bb]earer/.test(value ?? '') ? value : undefined,
    ),
  },
  'HC-32': {
    'stores one token': {
      tokens: (correct) => ({ verify: async (text) => (text === token ? correct.verify(text) : { accepted: false }) }),
    },
  },
  'HC-33': {
    'returns 401 without WWW-Authenticate': rewriteError(['missing-token'], (_record, outgoing) => ({
      headers: { ...outgoing.headers, 'www-authenticate': undefined },
    })),
    'accepts requests without an Authorization header': rewriteHeader(
      'authorization',
      (value) => value ?? `Bearer ${token}`,
    ),
  },
  'HC-34': {
    'accepts the beginning of a token': accepting((text, accepted) => accepted.startsWith(text)),
    'leaves error="invalid_token" out': rewriteError(['token-not-accepted'], (_record, { headers }) => ({
      headers: { ...headers, 'www-authenticate': 'Bearer realm="plant-store"' },
    })),
    'repeats the wrong token in the message': errorMessage(
      ['token-not-accepted'],
      (message, { headers }) => `${message}: ${headers.authorization}`,
    ),
  },
  'HC-35': {
    'reads the token from the query': rewriteHeader('authorization', (value, { url }) => {
      const given = new URL(`http://plants${url}`).searchParams.get('access_token');
      return given === null ? value : `Bearer ${given}`;
    }),
    'reads the token from Proxy-Authorization': rewriteHeader(
      'authorization',
      (value, { headers }) => value ?? headers['proxy-authorization'],
    ),
  },
  'HC-36': {
    'takes the first of two tokens': keepFirst('authorization'),
    'returns 401 for two tokens': rewriteResponse(({ body }) =>
      body.includes('one authorization')
        ? { status: 401, body: JSON.stringify({ error: 40102, message: 'the access token is not accepted' }) }
        : {},
    ),
  },
  'HC-37': {
    'checks the token when it has the body': onFastify((app) => {
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
    'checks the media type before the token': onFastify((app) =>
      app.addHook('onRequest', async ({ raw, is404 }) => {
        if (is404 || raw.method !== 'POST' || /json/i.test(raw.headers['content-type'] ?? '')) return;
        throw new HttpError('unsupported-media-type', 'send the body as Content-Type: application/json, in UTF-8');
      }),
    ),
  },
};
