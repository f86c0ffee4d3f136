import type { IncomingMessage } from 'node:http';

/**
 * Tells of the bytes of a body whenever more of them have come, for one that does not announce its length. What is thrown
 * then ends the reading of the body: it fails with that.
 *
 * @param limit the largest body, in bytes: whoever reads it refuses what is larger, and nothing is told of that.
 */
export function countReceived(request: IncomingMessage, limit: number, onReceived: (bytes: number) => void): void {
  let received = 0;
  request.on('data', function count(chunk: Buffer) {
    received += chunk.length;
    // Where nobody reads it any more, it has failed, and the rest is thrown away.
    if (received > limit || request.listenerCount('error') === 0) return void request.off('data', count);
    try {
      onReceived(received);
    } catch (error) {
      request.off('data', count);
      request.emit('error', error);
    }
  });
}
