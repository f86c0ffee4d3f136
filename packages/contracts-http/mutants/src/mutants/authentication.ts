import { mutantTable } from '@plant-store/contracts-kit';
import { HttpError } from '@plant-store/http-edge';
import type { Mutant } from '../mutant.ts';
import { token } from '../mutated-service.ts';
import { keepFirst, rewriteHeader } from '../mutations/requests.ts';
import { errorMessage, errorStatus, rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { onFastify } from '../mutations/server.ts';
import { accepting, authenticate } from '../mutations/verifiers.ts';

/** Break HC-31 to HC-37: bearer tokens. */
export const authentication: readonly Mutant[] = mutantTable({
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
    'returns 403 without a token': errorStatus(['missing-token'], 403),
    'returns 401 without WWW-Authenticate': rewriteError(['missing-token'], (_record, outgoing) => ({
      headers: { ...outgoing.headers, 'www-authenticate': undefined },
    })),
    'calls a missing token an invalid one': challenging(
      'missing-token',
      'Bearer realm="plant-store", error="invalid_token"',
    ),
    'accepts requests without an Authorization header': rewriteHeader(
      'authorization',
      (value) => value ?? `Bearer ${token}`,
    ),
  },
  'HC-34': {
    'accepts the beginning of a token': accepting((text, accepted) => accepted.startsWith(text)),
    'compares tokens without case': accepting((text, accepted) => text.toLowerCase() === accepted.toLowerCase()),
    'returns 403 for a wrong token': errorStatus(['token-not-accepted'], 403),
    'leaves error="invalid_token" out': challenging('token-not-accepted', 'Bearer realm="plant-store"'),
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
});

function challenging(kind: 'missing-token' | 'token-not-accepted', challenge: string) {
  return rewriteError([kind], (_record, { headers }) => ({ headers: { ...headers, 'www-authenticate': challenge } }));
}
