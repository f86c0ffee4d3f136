import type { Mutants } from '../mutation.ts';
import { rewriteRequest, rewriteTarget } from '../mutations/requests.ts';
import { rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onParserError } from '../mutations/server.ts';

/** Break HC-38 to HC-44: the paths and methods. */
export const addresses: Mutants = {
  'HC-38': {
    'ignores a slash at the end': rewriteTarget((target) => target.replace(/^(\/plants)\/$/, '$1')),
    'returns 404 with HTML': rewriteError('no-such-path', () => ({
      headers: { 'content-type': 'text/html' },
      body: '<h1>Not Found</h1>',
    })),
  },
  'HC-39': {
    'compares the whole target with the path': rewriteTarget((target) => target.replace('?', '/')),
  },
  'HC-40': {
    'returns 405 without Allow': rewriteError('method-not-allowed', () => ({ headers: { allow: undefined } })),
    'treats PUT as POST': rewriteRequest((request) => {
      if (request.method === 'PUT') request.method = 'POST';
    }),
  },
  'HC-41': {
    'returns 200 to HEAD, for load balancers': rewriteResponse((_answer, { method }) =>
      method === 'HEAD' ? { status: 200 } : {},
    ),
    'responds to HEAD with a body': rewriteRequest((request, response) => {
      if (request.method === 'HEAD') Object.assign(response, { _hasBody: true });
    }),
  },
  'HC-42': {
    'recognizes methods in any case': { incoming: (bytes) => bytes.replace(/^post /i, 'POST ') },
    'returns 501 for a method that it does not recognize': onParserError(
      ({ rawPacket }, socket) =>
        /^(?!POST )[A-Z-]+ \/plants /.test(String(rawPacket)) && endWith(socket, 501, malformed),
    ),
  },
  'HC-43': {
    'does not recognize the absolute-form': rewriteTarget((target) => target.replace(/^http:/, '/http:')),
  },
  'HC-44': {
    'closes the connection of a CONNECT without a response, as Node does': rewriteRequest(({ method, socket }) => {
      if (method === 'CONNECT') socket.destroy();
    }),
    'handles a target with invalid encoding as Fastify does': rewriteResponse((_answer, { url }) =>
      url === '/%'
        ? { body: '{"error":"Bad Request","code":"FST_ERR_BAD_URL","message":"\'/%\' is not a valid url component"}' }
        : {},
    ),
  },
};
