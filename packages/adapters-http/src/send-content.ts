import type { FastifyReply } from 'fastify';
import { isDraining } from './draining.ts';

/** Sends a content of this media type. It is the last answer of its connection when the server is draining. */
export function sendContent(reply: FastifyReply, mediaType: string, content: string | Buffer): FastifyReply {
  // Node keeps a connection open behind an answer that was under way when the server closed.
  if (isDraining(reply.server.server)) reply.header('connection', 'close');
  return reply.header('content-type', mediaType).send(content);
}
