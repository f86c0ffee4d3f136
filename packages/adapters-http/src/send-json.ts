import type { FastifyReply } from 'fastify';

/**
 * Sends a JSON text as `application/json`, without a charset: the media type has no such parameter (RFC 8259 section
 * 11), but Fastify adds one unless the reply has a serializer of its own.
 */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.serializer(asItIs).header('content-type', 'application/json').send(text);
}

function asItIs(text: string): string {
  return text;
}
