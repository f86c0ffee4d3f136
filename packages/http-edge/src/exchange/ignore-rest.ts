import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Makes the HTTP parser of a connection drop whatever it reads from now on: no request, no piece of a body and no end of one
 * is made of it. The bytes are still read, because a connection that is closed before that is reset, and its last response
 * may be lost (RFC 9112 section 9.6).
 *
 * Node has no method for it. Without it, a segment of 64 KiB becomes 2,000 requests of several kilobytes, or 10,000 buffers.
 */
export function ignoreRest(socket: Duplex): void {
  const { parser } = socket as Socket & { parser?: Record<string, unknown> | null };
  if (!parser) return;
  const callbacks = Object.entries(parser).filter(([, value]) => typeof value === 'function' && names.has(value.name));
  for (const [key] of callbacks) parser[key] = undefined;
  // Node uses the parser for another connection afterwards.
  socket.once('close', () => Object.assign(parser, Object.fromEntries(callbacks)));
}

/** What Node's parser calls, apart from timeouts and the end of a segment. */
const names: ReadonlySet<string> = new Set([
  'parserOnHeaders',
  'parserOnHeadersComplete',
  'parserOnBody',
  'parserOnMessageComplete',
]);
