import type { Mutants } from '../mutation.ts';
import { rewriteRequest } from '../mutations/requests.ts';
import { rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onParserError } from '../mutations/server.ts';
import { createLater } from '../mutations/use-case.ts';

/** Break HC-52 to HC-56: one response per request, in the order of the requests. */
export const connections: Mutants = {
  'HC-52': {
    'closes the connection after every response': rewriteResponse(() => ({ headers: { connection: 'close' } })),
  },
  'HC-53': {
    'responds to a parser error at once, before earlier requests': {
      ...createLater,
      ...onParserError(({ code }, socket) => code !== 'ERR_HTTP_REQUEST_TIMEOUT' && endWith(socket, 400, malformed)),
    },
  },
  'HC-54': {
    'closes after a body that it cannot parse, as Fastify does': rewriteError('malformed-json', () => ({
      headers: { connection: 'close' },
    })),
  },
  'HC-55': {
    'recognizes Connection: close in lower case only': {
      incoming: (bytes) => bytes.replace('\r\nConnection: Close\r', '\r'),
    },
    'treats HTTP/1.0 as HTTP/1.1': { incoming: (bytes) => bytes.replace(/^(POST \/plants HTTP\/1)\.0/, '$1.1') },
  },
  'HC-56': {
    'drops the connection of an Upgrade': rewriteRequest(({ headers, socket }) => {
      if (headers.upgrade !== undefined) socket.destroy();
    }),
    'treats an empty line before a request as a malformed one': {
      incoming: (bytes) => bytes.replace(/^\r\n\r\n(?=POST)/, '!'),
    },
  },
};
