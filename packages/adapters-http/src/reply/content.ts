import type { FastifyReply } from 'fastify';
import { answered } from '../exchange/answered.ts';
import { isDraining } from '../exchange/draining.ts';

/** Sends a content of this media type. It is the last answer of its connection when the server is draining. */
export function sendContent(reply: FastifyReply, mediaType: string, content: string | Buffer): FastifyReply {
  return send(reply.header('content-type', mediaType), content);
}

/** Says to a caller that the representation which it has is still the one: 304, without a content. */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return send(reply.code(304));
}

function send(reply: FastifyReply, content?: string | Buffer): FastifyReply {
  // Node keeps a connection open behind an answer that was under way when the server closed.
  if (isDraining(reply.server.server)) reply.header('connection', 'close');
  answered(reply.raw);
  return reply.send(content);
}
