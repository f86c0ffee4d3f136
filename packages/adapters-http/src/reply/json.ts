import type { FastifyReply } from 'fastify';
import { sendContent } from './content.ts';

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
