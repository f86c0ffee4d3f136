import { token } from '../mutated-service.ts';
import type { Mutants } from '../mutation.ts';
import { keepFirst, rewriteHeader } from '../mutations/requests.ts';
import { errorMessage, rewriteError } from '../mutations/responses.ts';
import { onServer } from '../mutations/server.ts';

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
    'returns 401 without WWW-Authenticate': rewriteError('missing-token', () => ({
      headers: { 'www-authenticate': undefined },
    })),
    'accepts requests without an Authorization header': rewriteHeader(
      'authorization',
      (value) => value ?? `Bearer ${token}`,
    ),
  },
  // More than two: the token, the challenge, the message.
  'HC-34': {
    'accepts the beginning of a token': {
      tokens: (correct) => ({
        verify: async (text) => (token.startsWith(text) ? { accepted: true, subject: 'test' } : correct.verify(text)),
      }),
    },
    'leaves error="invalid_token" out': rewriteError('token-not-accepted', () => ({
      headers: { 'www-authenticate': 'Bearer realm="plant-store"' },
    })),
    'repeats the wrong token in the message': errorMessage(
      'token-not-accepted',
      (message, { headers }) => `${message}: ${headers.authorization}`,
    ),
  },
  'HC-35': {
    'reads the token from the query': rewriteHeader('authorization', (value, { url }) => {
      const given = new URL(`http://plants${url}`).searchParams.get('access_token');
      return given === null ? value : `Bearer ${given}`;
    }),
  },
  'HC-36': {
    'takes the first of two tokens': keepFirst('authorization'),
  },
  'HC-37': {
    'waits for the body before it checks the token': onServer((server) => {
      const correct = server.listeners('request');
      server.removeAllListeners('request').on('request', (request, response) => {
        request.once('readable', () => correct.forEach((listener) => void listener.call(server, request, response)));
      });
    }),
    'checks the media type before the token': rewriteError('missing-token', (_record, _outgoing, { headers }) =>
      headers['content-type'] === 'text/plain' ? { status: 400, body: '{"error":40003,"message":"send JSON"}' } : {},
    ),
  },
};
