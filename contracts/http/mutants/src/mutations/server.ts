import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Mutation } from '../mutation.ts';

/** Changes Node's server. */
export function onServer(change: (server: Server) => void): Mutation {
  return { server: ({ server }) => change(server) };
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Responds to parser errors in another way.
 *
 * @param outgoing returns true if it has responded; otherwise the correct listener does.
 */
export function onParserError(outgoing: (error: ParserError, socket: Socket) => boolean): Mutation {
  return onServer((server) => {
    const correct = server.listeners('clientError');
    server.removeAllListeners('clientError').on('clientError', (error, socket) => {
      if (outgoing(error, socket as Socket)) return;
      for (const listener of correct) listener.call(server, error, socket);
    });
  });
}

/** Ends a connection with a response that is written by hand. */
export function endWith(socket: Duplex, status: number, body: string, headers = 'connection: close'): true {
  if (socket.writable) {
    socket.end(
      `HTTP/1.1 ${status} Because\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n\r\n${body}`,
    );
  }
  return true;
}

/** The Error record for parser errors. */
export const malformed = JSON.stringify({ error: 40006, message: 'the request is not well-formed HTTP' });
