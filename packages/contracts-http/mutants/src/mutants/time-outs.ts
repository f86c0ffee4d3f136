import type { Mutant } from '../mutant.ts';
import { drop, endWith, onParserError, onServer, serverOptions } from '../mutations/server.ts';

/** Break HC-60 and HC-61: slow clients. */
export const timeOuts: readonly Mutant[] = [
  {
    does: 'waits for a head as long as for a request',
    breaks: 'HC-60',
    alsoBreaks: { clauses: ['HC-66'], because: 'it waits for a head to be timed out' },
    mutation: serverOptions({ headersTimeout: 10_000 }),
  },
  { does: 'waits a second for a head', breaks: 'HC-60', mutation: serverOptions({ headersTimeout: 1_000 }) },
  {
    does: 'returns 408 to a slow client, as Fastify does',
    breaks: 'HC-60',
    alsoBreaks: { clauses: ['HC-61', 'HC-66'], because: 'they are slow as well' },
    mutation: onParserError(
      ({ code }, socket) =>
        code === 'ERR_HTTP_REQUEST_TIMEOUT' &&
        endWith(socket, 408, '{"error":"Request Timeout","message":"Client Timeout","statusCode":408}'),
    ),
  },
  {
    does: 'closes without a response to a slow client',
    breaks: 'HC-60',
    alsoBreaks: { clauses: ['HC-61', 'HC-66'], because: 'they are slow as well' },
    mutation: onParserError(({ code }, socket) => code === 'ERR_HTTP_REQUEST_TIMEOUT' && drop(socket)),
  },
  {
    does: 'returns 400 on a connection on which nothing was sent',
    breaks: 'HC-60',
    mutation: onParserError(
      ({ code }, socket) =>
        code === 'ERR_HTTP_REQUEST_TIMEOUT' &&
        socket.bytesRead === 0 &&
        endWith(socket, 400, '{"error":40007,"message":"the request did not arrive in time"}'),
    ),
  },
  {
    does: 'closes a connection on which nothing was sent for a second',
    breaks: 'HC-60',
    mutation: onServer(
      (server) =>
        void server.on('connection', (socket) =>
          setTimeout(() => {
            if (socket.bytesRead === 0) socket.destroy();
          }, 1_000),
        ),
    ),
  },
  {
    does: 'has no time-out for a request, as Fastify has none',
    breaks: 'HC-61',
    mutation: serverOptions({ requestTimeout: 0 }),
  },
  { does: 'waits twenty seconds for a request', breaks: 'HC-61', mutation: serverOptions({ requestTimeout: 20_000 }) },
  { does: 'waits five seconds for a request', breaks: 'HC-61', mutation: serverOptions({ requestTimeout: 5_000 }) },
  {
    does: 'closes connections that are silent, but not those that dribble',
    breaks: 'HC-61',
    mutation: {
      ...serverOptions({ requestTimeout: 0 }),
      ...onServer((server) => void server.setTimeout(10_000)),
    },
  },
];
