import { connect, type Socket } from 'node:net';

/** A connection with at most one request in flight. */
export interface Connection {
  send(request: Buffer): void;
  /** Closes it without further events. */
  close(): void;
}

export interface ConnectionEvents {
  onResponse(status: number, bodyBytes: number): void;
  /** The other side closed the connection, or it broke. */
  onLost(reason: string): void;
}

/** Connects. It supports only HTTP/1.1 responses with a Content-Length, which every contestant sends. */
export function openConnection(port: number, { onResponse, onLost }: ConnectionEvents): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  let unread: Buffer = Buffer.alloc(0);
  let reason = 'closed by the server';
  let closed = false;

  function read(length: number, buffer: Uint8Array): boolean {
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    const headEnd = bytes.indexOf('\r\n\r\n');
    const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd);
    const bodyBytes = Number(contentLength.exec(head)?.[1]);
    if (headEnd === -1 || bytes.length < headEnd + 4 + bodyBytes) {
      // The buffer is reused, so the rest must be copied.
      unread = Buffer.from(bytes);
      return true;
    }
    unread = Buffer.alloc(0);
    onResponse(Number(head.slice(9, 12)), bodyBytes);
    return true;
  }

  const socket: Socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    // One buffer for all responses of the connection: no stream, no garbage.
    onread: { buffer: Buffer.allocUnsafe(8_192), callback: read },
  });
  socket.on('error', (error) => {
    reason = error.message;
  });
  socket.on('close', () => {
    reject(new Error(`no connection to port ${port}: ${reason}`));
    if (!closed) onLost(reason);
  });
  socket.on('connect', () =>
    resolve({
      send: (request) => void socket.write(request),
      close() {
        closed = true;
        socket.destroy();
      },
    }),
  );
  return promise;
}

const contentLength = /\r\ncontent-length: *(\d+)/i;
