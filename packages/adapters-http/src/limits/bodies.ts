import { HttpError, retryLater } from '../errors/http-error.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Bodies up to this many bytes do not count: more than a hundred usual plants. */
const SMALL = 16_384;

/** The limit on the bytes of request bodies in memory: those being read, and those kept until their response is complete. */
export interface BodyLimit {
  /**
   * Raises what is reserved for the body of this exchange to so many bytes.
   * @throws {HttpError} `overloaded`; what was reserved before stays reserved.
   */
  readonly reserve: (exchange: Exchange, bytes: number) => void;
  /** Reserves the bytes of a body of unknown length as they arrive. If there is no room for them, reading it fails. */
  readonly reserveReceived: (exchange: Exchange) => void;
  readonly release: (exchange: Exchange) => void;
}

/**
 * Limits how many bytes of bodies are in memory at once. Small bodies do not count, because the limit on requests bounds
 * them already; so large bodies never keep usual plants out.
 *
 * @param max must be at least `bodyLimit`, otherwise the largest body would never be accepted.
 * @param bodyLimit the size of the largest body, in bytes. Whoever reads the body refuses larger ones.
 */
export function limitBodies(max: number, bodyLimit: number): BodyLimit {
  let sum = 0;

  function reserve(exchange: Exchange, bytes: number): void {
    // The client may have gone away while its token was checked: nobody would release what is reserved now.
    if (bytes <= SMALL || !exchange.isOpen) return;
    const more = bytes - exchange.bodyBytes;
    if (sum + more > max) {
      throw new HttpError(
        'overloaded',
        'the service is reading too many large bodies; retry the same request',
        retryLater,
      );
    }
    sum += more;
    exchange.bodyBytes = bytes;
  }

  return {
    reserve,
    reserveReceived(exchange) {
      const { request } = exchange;
      let received = 0;
      request.on('data', function count(chunk: Buffer) {
        received += chunk.length;
        // If nobody reads it any more, it has failed, and the rest is discarded.
        if (received > bodyLimit || request.listenerCount('error') === 0) return void request.off('data', count);
        try {
          reserve(exchange, received);
        } catch (error) {
          request.off('data', count);
          request.emit('error', error);
        }
      });
    },
    release(exchange) {
      sum -= exchange.bodyBytes;
      exchange.bodyBytes = 0;
    },
  };
}
