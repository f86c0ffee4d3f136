import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Above every time-out of the service: a connection that is still open then will stay so. */
const SILENCE_MS = 15_000;

/**
 * Sends the segments over a connection of its own, each by itself, says that nothing more will come, and reads until the
 * service has closed it.
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
  // A reset is an end like any other: what counts is whether every answer came before.
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
