import type { Mutant } from '../mutant.ts';
import { type Outgoing, rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onFastify, onParserError } from '../mutations/server.ts';

/** Break HC-67 and HC-68: the id of a request. */
export const requestIds: readonly Mutant[] = [
  {
    does: 'has only ids of its own',
    breaks: 'HC-67',
    mutation: rewriteResponse(({ headers }) => withId(headers, crypto.randomUUID())),
  },
  {
    does: 'returns the id of what it has stored only',
    breaks: 'HC-67',
    mutation: rewriteResponse(({ headers, status }) => (status < 400 ? {} : withId(headers, crypto.randomUUID()))),
  },
  {
    does: 'accepts only UUIDs as an id',
    breaks: 'HC-67',
    mutation: rewriteResponse(({ headers }) =>
      String(headers['x-request-id']).length === 36 ? {} : withId(headers, crypto.randomUUID()),
    ),
  },
  {
    does: 'returns an id of any length',
    breaks: 'HC-68',
    mutation: rewriteResponse(({ headers }, request) => {
      const id = String(request.headers['x-request-id'] ?? '');
      return id.length > 128 ? withId(headers, id) : {};
    }),
  },
  {
    does: 'has an id only for requests that sent one',
    breaks: 'HC-68',
    alsoBreaks: { clauses: ['HC-64'], because: 'the header is described with every response' },
    mutation: onFastify((app) =>
      app.addHook('onSend', async (request, reply) => {
        if (request.headers['x-request-id'] === undefined) reply.removeHeader('x-request-id');
      }),
    ),
  },
  {
    does: 'returns the same id for every request',
    breaks: 'HC-68',
    mutation: rewriteResponse(({ headers }, request) =>
      request.headers['x-request-id'] ? {} : withId(headers, 'none'),
    ),
  },
  {
    does: 'has no id for what the parser refuses',
    breaks: 'HC-68',
    mutation: onParserError(
      ({ rawPacket }, socket) => String(rawPacket).includes('\r\nX-Request-Id\r\n') && endWith(socket, 400, malformed),
    ),
  },
];

function withId(headers: Outgoing['headers'], id: string): Partial<Outgoing> {
  return { headers: { ...headers, 'x-request-id': id } };
}
