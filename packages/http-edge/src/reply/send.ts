import type { FastifyReply } from 'fastify';
import { isDraining } from '../exchange/draining.ts';
import { exchangeOf } from '../exchange/exchange.ts';

/**
 * Sends JSON text as `application/json`, without a charset: the media type has no such parameter (RFC 8259 section 11),
 * but Fastify adds one unless the reply has a serializer of its own.
 */
export function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return sendContent(reply.serializer(unchanged), 'application/json', text);
}

/** Sends content of this media type. */
export function sendContent(reply: FastifyReply, mediaType: string, content: string | Buffer): FastifyReply {
  return send(reply.header('content-type', mediaType), content);
}

/** Leads the client to another address: 302, without content (RFC 9110 section 15.4.3). */
export function sendRedirect(reply: FastifyReply, location: string): FastifyReply {
  return send(reply.code(302).header('location', location));
}

/** Tells the client that its representation is still current: 304, without content. */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return send(reply.code(304));
}

function send(reply: FastifyReply, content?: string | Buffer): FastifyReply {
  // Node keeps a connection open after a response that was in progress when the server closed.
  if (isDraining(reply.server.server)) reply.header('connection', 'close');
  exchangeOf(reply.request.raw).responded();
  return reply.send(content);
}

function unchanged(text: string): string {
  return text;
}
