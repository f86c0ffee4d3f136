import type { Mutants } from '../mutation.ts';
import { type Outgoing, rewriteResponse } from '../mutations/responses.ts';
import { endWith, malformed, onParserError } from '../mutations/server.ts';

/** Break HC-67 and HC-68: the id of a request. */
export const requestIds: Mutants = {
  'HC-67': {
    'returns the id of what it has stored only': rewriteResponse(({ status }) =>
      status < 400 ? {} : withId(crypto.randomUUID()),
    ),
    'accepts only UUIDs as an id': rewriteResponse(({ headers }) =>
      String(headers['x-request-id']).length === 36 ? {} : withId(crypto.randomUUID()),
    ),
  },
  // More than two: ids that cannot be used, new ones that are none, errors of the parser.
  'HC-68': {
    'returns an id of any length': rewriteResponse((_outgoing, request) => {
      const id = String(request.headers['x-request-id'] ?? '');
      return id.length > 128 ? withId(id) : {};
    }),
    'returns the same id for every request': rewriteResponse((_outgoing, request) =>
      request.headers['x-request-id'] ? {} : withId('none'),
    ),
    'has no id for what the parser refuses': onParserError(
      ({ rawPacket }, socket) => String(rawPacket).includes('\r\nX-Request-Id\r\n') && endWith(socket, 400, malformed),
    ),
  },
};

function withId(id: string): Partial<Outgoing> {
  return { headers: { 'x-request-id': id } };
}
