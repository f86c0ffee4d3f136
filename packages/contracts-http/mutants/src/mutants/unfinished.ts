import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { parseJsonBody, readNewPlant } from '@plant-store/adapters-http';
import type { CreatePlant } from '@plant-store/domain';
import type { Mutant } from '../mutant.ts';
import type { Mutation } from '../mutation.ts';
import { rewriteAnswer } from '../mutations/answers.ts';
import { rewriteHeader } from '../mutations/requests.ts';
import { endWith, malformed, onServer } from '../mutations/server.ts';

/** Break HC-57 to HC-59: requests that are not complete when they are answered, or never will be. */
export const unfinished: readonly Mutant[] = [
  {
    does: 'answers a second time where the rest of a body cannot be read',
    breaks: 'HC-57',
    mutation: onServer((server) => {
      const latest = new WeakMap<object, { request: IncomingMessage; response: ServerResponse }>();
      server.prependListener('request', (request, response) => latest.set(request.socket, { request, response }));
      server.prependListener('clientError', (_error, socket) => {
        const { request, response } = latest.get(socket) ?? {};
        if (request?.complete === false && response?.headersSent) endWith(socket, 400, malformed);
      });
    }),
  },
  {
    does: 'does not say that it closes behind an early answer',
    breaks: 'HC-57',
    alsoBreaks: { clauses: ['HC-37'], because: 'it has early answers as well' },
    mutation: rewriteAnswer(({ status, headers }, { complete }) =>
      status === 401 && !complete ? { headers: { ...headers, connection: undefined } } : {},
    ),
  },
  {
    does: 'takes what came of a body that breaks off for the whole',
    breaks: 'HC-58',
    mutation: takingHalves(),
  },
  {
    does: 'does not meet Expect: 100-continue',
    breaks: 'HC-59',
    mutation: rewriteHeader('expect', () => undefined),
  },
  {
    does: 'asks for the body before it looks at the token, as Node does',
    breaks: 'HC-59',
    mutation: onServer((server) => {
      server.removeAllListeners('checkContinue').on('checkContinue', (request, response) => {
        response.writeContinue();
        delete request.headers.expect;
        server.emit('request', request, response);
      });
    }),
  },
  {
    does: 'answers an expectation that it does not know with an empty 417, as Node does',
    breaks: 'HC-59',
    mutation: onServer((server) => void server.removeAllListeners('checkExpectation')),
  },
  {
    does: 'ignores an expectation that it does not know',
    breaks: 'HC-59',
    mutation: rewriteHeader('expect', (value) => (value?.toLowerCase() === '100-continue' ? value : undefined)),
  },
];

/** Fastify itself goes no further with a request whose connection is gone; a service that reads on its own may. */
function takingHalves(): Mutation {
  const bodies = new WeakMap<Duplex, Buffer[]>();
  let create: CreatePlant;
  return {
    createPlant: (good) => {
      create = good;
      return good;
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
          void create(readNewPlant(parseJsonBody(Buffer.concat(bodies.get(socket) ?? []))));
        } catch {
          // What came is no plant.
        }
      });
    },
  };
}
