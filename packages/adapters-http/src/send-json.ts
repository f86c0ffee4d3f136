import type { FastifyReply } from 'fastify';
import { isDraining } from './draining.ts';

/**
 * Sends a JSON text as `application/json`, without a charset: the media type has no such parameter (RFC 8259 section
 * 11), but Fastify adds one unless the reply has a serializer of its own. It is the last answer of its connection when the server is draining.
 */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  // Node keeps a connection open behind an answer that was under way when the server closed.
  if (isDraining(reply.server.server)) reply.header('connection', 'close');
  return reply.serializer(asItIs).header('content-type', 'application/json').send(text);
import { sendContent } from './send-content.ts';

/**
 * Sends a JSON text as `application/json`, without a charset: the media type has no such parameter (RFC 8259 section
 * 11), but Fastify adds one unless the reply has a serializer of its own.
 */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return sendContent(reply.serializer(asItIs), 'application/json', text);
}

function asItIs(text: string): string {
  return text;
}
