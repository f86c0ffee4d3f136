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
  readonly release: (exchange: Exchange) => void;
}

/**
 * Limits how many bytes of bodies are in memory at once. Small bodies do not count, because the limit on requests bounds
 * them already; so large bodies never keep usual plants out.
 *
 * @param max must be at least the size of the largest body, otherwise that would never be accepted.
 */
export function limitBodies(max: number): BodyLimit {
  let sum = 0;

  function reserve(exchange: Exchange, bytes: number): void {
    // The client may have gone away while its token was checked: nobody would release what is reserved now.
    if (bytes <= Math.max(SMALL, exchange.bodyBytes) || !exchange.isOpen) return;
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
    release(exchange) {
      sum -= exchange.bodyBytes;
      exchange.bodyBytes = 0;
    },
  };
}
