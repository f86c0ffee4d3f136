import type { Mutant } from '../mutant.ts';
import { rewriteAnswer, rewriteError } from '../mutations/answers.ts';
import { rewriteRequest } from '../mutations/requests.ts';
import { drop, endWith, malformed, onParserError, onServer, rewriteIncoming } from '../mutations/server.ts';

/** Break HC-52 to HC-56: one answer to a request, in the order of the requests. */
export const connections: readonly Mutant[] = [
  {
    does: 'loses what is pipelined behind sixteen requests',
    breaks: 'HC-52',
    mutation: rewriteIncoming((bytes) => bytes.split(/(?=POST \/plants )/, 16).join('')),
  },
  {
    does: 'closes the connection behind every answer',
    breaks: 'HC-52',
    alsoBreaks: {
      clauses: ['HC-53', 'HC-54', 'HC-59', 'HC-60'],
      because: 'they send a second request on a connection as well',
    },
    mutation: rewriteAnswer(({ headers }) => ({ headers: { ...headers, connection: 'close' } })),
  },
  {
    does: 'answers what its parser cannot read at once, before the requests that came first',
    breaks: 'HC-53',
    alsoBreaks: {
      clauses: ['HC-55', 'HC-57', 'HC-68'],
      because: 'they have what cannot be read as well, if only behind the last request of a connection',
    },
    mutation: onParserError(
      ({ code }, socket) => code !== 'ERR_HTTP_REQUEST_TIMEOUT' && endWith(socket, 400, malformed),
    ),
  },
  {
    does: 'closes without an answer where requests go before what it cannot read',
    breaks: 'HC-53',
    mutation: onParserError(
      ({ rawPacket }, socket) => /(POST \/plants [\s\S]*){3}/.test(String(rawPacket)) && drop(socket),
    ),
  },
  {
    does: 'closes behind every refusal',
    breaks: 'HC-54',
    mutation: rewriteError('any', (_record, { headers }) => ({ headers: { ...headers, connection: 'close' } })),
  },
  {
    does: 'closes behind a body that it cannot parse, as Fastify does',
    breaks: 'HC-54',
    mutation: rewriteError(['malformed-json'], (_record, { headers }) => ({
      headers: { ...headers, connection: 'close' },
    })),
  },
  {
    does: 'knows Connection: close in lower case only',
    breaks: 'HC-55',
    mutation: rewriteIncoming((bytes) => bytes.replace('\r\nConnection: Close\r', '\r')),
  },
  {
    does: 'takes HTTP/1.0 for HTTP/1.1',
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
    does: 'takes an empty line before a request for a malformed one',
    breaks: 'HC-56',
    mutation: rewriteIncoming((bytes) => bytes.replace(/^\r\n\r\n(?=POST)/, '!')),
  },
];
