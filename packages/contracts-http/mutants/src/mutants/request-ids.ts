import type { Mutant } from '../mutant.ts';
import { type Outgoing, rewriteAnswer } from '../mutations/answers.ts';
import { endWith, malformed, onFastify, onParserError } from '../mutations/server.ts';

/** Break HC-67 and HC-68: the id of a request. */
export const requestIds: readonly Mutant[] = [
  {
    does: 'has ids of its own only',
    breaks: 'HC-67',
    mutation: rewriteAnswer(({ headers }) => withId(headers, crypto.randomUUID())),
  },
  {
    does: 'returns the id of what it has stored only',
    breaks: 'HC-67',
    mutation: rewriteAnswer(({ headers, status }) => (status < 400 ? {} : withId(headers, crypto.randomUUID()))),
  },
  {
    does: 'takes UUIDs only for an id',
    breaks: 'HC-67',
    mutation: rewriteAnswer(({ headers }) =>
      String(headers['x-request-id']).length === 36 ? {} : withId(headers, crypto.randomUUID()),
    ),
  },
  {
    does: 'returns an id of any length',
    breaks: 'HC-68',
    mutation: rewriteAnswer(({ headers }, request) => {
      const id = String(request.headers['x-request-id'] ?? '');
      return id.length > 128 ? withId(headers, id) : {};
    }),
  },
  {
    does: 'has an id for those only who sent one',
    breaks: 'HC-68',
    alsoBreaks: { clauses: ['HC-64'], because: 'the header is described with every answer' },
    mutation: onFastify((app) =>
      app.addHook('onSend', async (request, reply) => {
        if (request.headers['x-request-id'] === undefined) reply.removeHeader('x-request-id');
      }),
    ),
  },
  {
    does: 'gives every request the same id',
    breaks: 'HC-68',
    mutation: rewriteAnswer(({ headers }, request) => (request.headers['x-request-id'] ? {} : withId(headers, 'none'))),
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
