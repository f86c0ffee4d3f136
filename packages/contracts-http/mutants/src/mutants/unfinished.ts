import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CreatePlant } from '@plant-store/domain';
import { parseJson, readNewPlant } from '@plant-store/plant-json';
import type { Mutants, Mutation } from '../mutation.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onServer } from '../mutations/server.ts';

/** Break HC-57 to HC-59: requests that are incomplete when the response is sent, or for ever. */
export const unfinished: Mutants = {
  'HC-57': {
    'responds a second time if the rest of a body cannot be read': onServer((server) => {
      const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
      server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
      server.prependListener('clientError', (_error, socket) => {
        const { request, response } = latest.get(socket) ?? {};
        if (request?.complete === false && response?.headersSent) endWith(socket, 400, malformed);
      });
    }),
    'does not announce that it closes after an early response': rewriteResponse(({ status, headers }, { complete }) =>
      status === 401 && !complete ? { headers: { ...headers, connection: undefined } } : {},
    ),
  },
  'HC-58': {
    'treats an incomplete body as complete': takingHalves(),
  },
  'HC-59': {
    'ignores Expect: 100-continue': rewriteHeader('expect', () => undefined),
    'reads the body before it checks the token, as Node does': onServer((server) => {
      server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
        response.writeContinue();
        delete request.headers.expect;
        server.emit('request', request, response);
      });
    }),
    'returns an empty 417 for an unknown expectation, as Node does': onServer(
      (server) => void server.removeAllListeners('checkExpectation'),
    ),
  },
};

/** A request whose connection is lost is dropped; a service may forget that. */
function takingHalves(): Mutation {
  const bodies = new WeakMap<Duplex, Buffer[]>();
  let create: CreatePlant;
  return {
    useCases: {
      createPlant: (correct) => {
        create = correct;
        return correct;
      },
    },
    server: (app) => {
      app.addHook('preParsing', async ({ raw }, _reply, body) => {
        const pieces: Buffer[] = [];
        bodies.set(raw.socket, pieces);
        return body.on('data', (piece) => pieces.push(piece)).pause();
      });
      app.server.prependListener('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (error.code !== 'HPE_INVALID_EOF_STATE') return;
        try {
          void create(readNewPlant(parseJson(Buffer.concat(bodies.get(socket) ?? []))));
        } catch {
          // The body is not a plant.
        }
      });
    },
  };
}
