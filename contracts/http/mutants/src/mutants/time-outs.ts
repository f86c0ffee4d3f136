import { timeOuts as ofService } from '../mutated-service.ts';
import type { Mutants } from '../mutation.ts';
import { endWith, onParserError, onServer } from '../mutations/server.ts';

/** Break HC-60 and HC-61: slow clients. */
export const timeOuts: Mutants = {
  // More than two: too late, too early, with another error, where nothing was sent.
  'HC-60': {
    'waits seven times as long for a head': { options: { headersTimeout: 21_000, requestTimeout: 21_000 } },
    'waits a fifteenth of the time for a head': { options: { headersTimeout: 200 } },
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
  },
  'HC-61': {
    'waits a fifteenth of the time for a request': { options: { headersTimeout: 200, requestTimeout: 400 } },
    'closes connections that are silent, but not those that dribble': {
      options: { requestTimeout: 0 },
      ...onServer((server) => void server.setTimeout(ofService.request)),
    },
  },
};
