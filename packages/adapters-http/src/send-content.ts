import type { FastifyReply } from 'fastify';

/** Sends a content of this media type. It is the last answer of its connection when the server is closing. */
export function sendContent(reply: FastifyReply, mediaType: string, content: string | Buffer): FastifyReply {
  // Node keeps a connection open behind an answer that was under way when the server closed.
  if (!reply.server.server.listening) reply.header('connection', 'close');
  return reply.header('content-type', mediaType).send(content);
}
