import type { Mutant } from '../mutant.ts';
import { rewriteRequest } from '../mutations/requests.ts';
import { rewriteError, rewriteResponse } from '../mutations/responses.ts';
import { drop, endWith, malformed, onParserError, onServer, rewriteIncoming } from '../mutations/server.ts';
import { createLater } from '../mutations/use-case.ts';

/** Break HC-52 to HC-56: one response per request, in the order of the requests. */
export const connections: readonly Mutant[] = [
  {
    does: 'loses what is pipelined after sixteen requests',
    breaks: 'HC-52',
    mutation: rewriteIncoming((bytes) => bytes.split(/(?=POST \/plants )/, 16).join('')),
  },
  {
    does: 'closes the connection after every response',
    breaks: 'HC-52',
    alsoBreaks: {
      clauses: ['HC-53', 'HC-54', 'HC-59', 'HC-60'],
      because: 'they send a second request on a connection as well',
    },
    mutation: rewriteResponse(({ headers }) => ({ headers: { ...headers, connection: 'close' } })),
  },
  {
    does: 'responds to a parser error at once, before earlier requests',
    breaks: 'HC-53',
    alsoBreaks: {
      clauses: ['HC-55', 'HC-57', 'HC-68'],
      because: 'they have what cannot be read as well, if only after the last request of a connection',
    },
    mutation: {
      ...createLater,
      ...onParserError(({ code }, socket) => code !== 'ERR_HTTP_REQUEST_TIMEOUT' && endWith(socket, 400, malformed)),
    },
  },
  {
    does: 'closes without a response if requests go before a parser error',
    breaks: 'HC-53',
    mutation: onParserError(
      ({ rawPacket }, socket) => /(POST \/plants [\s\S]*){3}/.test(String(rawPacket)) && drop(socket),
    ),
  },
  {
    does: 'closes after every refusal',
    breaks: 'HC-54',
    mutation: rewriteError('any', (_record, { headers }) => ({ headers: { ...headers, connection: 'close' } })),
  },
  {
    does: 'closes after a body that it cannot parse, as Fastify does',
    breaks: 'HC-54',
    mutation: rewriteError(['malformed-json'], (_record, { headers }) => ({
      headers: { ...headers, connection: 'close' },
    })),
  },
  {
    does: 'recognizes Connection: close in lower case only',
    breaks: 'HC-55',
    mutation: rewriteIncoming((bytes) => bytes.replace('\r\nConnection: Close\r', '\r')),
  },
  {
    does: 'treats HTTP/1.0 as HTTP/1.1',
    breaks: 'HC-55',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^(POST \/plants HTTP\/1)\.0/, '$1.1')),
  },
  {
    does: 'reads a chunked body in HTTP/1.0',
    breaks: 'HC-55',
    mutation: rewriteRequest((request) => {
      if (request.httpVersion === '1.0' && request.headers['transfer-encoding']) request.httpVersion = '1.1';
    }),
  },
  {
    does: 'drops the connection of an Upgrade',
    breaks: 'HC-56',
    mutation: onServer((server) => void server.on('upgrade', (_request, socket) => socket.destroy())),
  },
  {
    does: 'refuses an Upgrade',
    breaks: 'HC-56',
    mutation: onServer((server) => void server.on('upgrade', (_request, socket) => endWith(socket, 426, malformed))),
  },
  {
    does: 'treats an empty line before a request as a malformed one',
    breaks: 'HC-56',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^\r\n\r\n(?=POST)/, '!')),
  },
];
