import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { newPlantRecord, parseJson } from '@plant-store/adapters-http/records';
import type { CreatePlant } from '@plant-store/domain';
import type { Mutants, Mutation } from '../mutation.ts';
import { rewriteHeader, rewriteRequest } from '../mutations/requests.ts';
import { endWith, malformed, onServer } from '../mutations/server.ts';

/** Break HC-57 to HC-59: requests that are incomplete when the response is sent, or for ever. */
export const unfinished: Mutants = {
  'HC-57': {
    'responds a second time if the rest of a body cannot be read': onServer((server) => {
      const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
      server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
      server.prependListener('clientError', (_error, socket) => {
        const { request, response } = latest.get(socket) ?? {};
        if (request?.complete === false && response?.statusCode === 401) endWith(socket, 400, malformed);
      });
    }),
    'closes after an early response and does not announce it': rewriteRequest((request, response) => {
      response.once('finish', () => request.complete || request.socket.end());
    }),
    'takes the body of a refused request for the next one': {
      incoming: (bytes) => bytes.replace(/( wrong\r\n[\s\S]*Content-Length:) \d+/, '$1 0'),
    },
  },
  'HC-58': {
    'treats an incomplete body as complete': takingHalves(),
  },
  // More than two: it is met, not for a body that will not be read, and no other one is.
  'HC-59': {
    'ignores Expect: 100-continue': rewriteHeader('expect', () => undefined),
    'reads the body before it checks the token, as Node does': onServer((server) => {
      server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
        response.writeContinue();
        delete request.headers.expect;
        server.emit('request', request, response);
      });
    }),
    'ignores an expectation that it does not recognize': rewriteHeader('expect', (value) =>
      value?.toLowerCase() === '100-continue' ? value : undefined,
    ),
  },
};

/** A request whose connection is lost is dropped; a service may forget that. */
function takingHalves(): Mutation {
  const bodies = new WeakMap<Duplex, Buffer[]>();
  let create: CreatePlant;
  return {
    createPlant: (correct) => (create = correct),
    server: (app) => {
      app.addHook('preParsing', async ({ raw }, _reply, body) => {
        const pieces: Buffer[] = [];
        bodies.set(raw.socket, pieces);
        return body.on('data', (piece) => pieces.push(piece)).pause();
      });
      app.server.prependListener('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code !== 'HPE_INVALID_EOF_STATE') return;
        try {
          void create(newPlantRecord.parse(parseJson(Buffer.concat(bodies.get(socket) ?? []))));
        } catch {
          // The body is not a plant.
        }
      });
    },
  };
}
