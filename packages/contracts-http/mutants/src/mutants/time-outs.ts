import { mutantTable } from '@plant-store/contracts-kit';
import type { Mutant } from '../mutant.ts';
import { endWith, onParserError, onServer, serverOptions } from '../mutations/server.ts';

/** Break HC-60 and HC-61: slow clients. */
export const timeOuts: readonly Mutant[] = mutantTable({
  'HC-60': {
    'waits for a head as long as for a request': serverOptions({ headersTimeout: 10_000 }),
    'waits a second for a head': serverOptions({ headersTimeout: 1_000 }),
    'returns 408 to a slow client, as Fastify does': onParserError(
      ({ code }, socket) =>
        code === 'ERR_HTTP_REQUEST_TIMEOUT' &&
        endWith(socket, 408, '{"error":"Request Timeout","message":"Client Timeout","statusCode":408}'),
    ),
    'returns 400 on a connection on which nothing was sent': onParserError(
      ({ code }, socket) =>
        code === 'ERR_HTTP_REQUEST_TIMEOUT' &&
        socket.bytesRead === 0 &&
        endWith(socket, 400, '{"error":40007,"message":"the request did not arrive in time"}'),
    ),
    'closes a connection on which nothing was sent for a second': onServer(
      (server) =>
        void server.on('connection', (socket) =>
          setTimeout(() => {
            if (socket.bytesRead === 0) socket.destroy();
          }, 1_000),
        ),
    ),
  },
  'HC-61': {
    'waits twenty seconds for a request': serverOptions({ requestTimeout: 20_000 }),
    'waits five seconds for a request': serverOptions({ requestTimeout: 5_000 }),
    'closes connections that are silent, but not those that dribble': {
      ...serverOptions({ requestTimeout: 0 }),
      ...onServer((server) => void server.setTimeout(10_000)),
    },
  },
});
