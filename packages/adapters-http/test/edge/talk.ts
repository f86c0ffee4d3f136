import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Longer than every timeout of the service: a connection that is still open then would stay open. */
const SILENCE_MS = 15_000;

/**
 * Sends the segments one by one over a new connection, ends its side, and reads until the service closes the connection.
 *
 * @returns every byte of the service.
 * @throws {Error} when the service keeps the connection open.
 */
export async function talk(port: number, segments: readonly Buffer[]): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const silence = setTimeout(() => reject(new Error(`the service was silent for ${SILENCE_MS} ms`)), SILENCE_MS);
  socket.on('data', (bytes: Buffer) => void received.push(bytes));
  // A reset is as good as a close: what counts is whether every response arrived before it.
  socket.on('error', () => resolve());
  socket.on('close', () => resolve());
  try {
    for (const segment of segments) {
      if (socket.writable) socket.write(segment);
      await setImmediate();
    }
    socket.end();
    await ended;
    return Buffer.concat(received);
  } finally {
    clearTimeout(silence);
    socket.destroy();
  }
}
