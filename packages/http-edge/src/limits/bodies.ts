import { type EdgeError, edgeError, retryLater } from '../errors/http-error.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { OrderedList } from '../exchange/ordered-list.ts';

/** Bodies up to this many bytes are small: a hundred times a usual record. */
const SMALL = 16_384;

/** The limit on the bytes of request bodies in memory: those being read, and those kept until their response is complete. */
export interface BodyLimit {
  /**
   * Raises what is reserved for the body of this exchange to so many bytes. Small bodies need none.
   * @throws {HttpError} `overloaded`; what was reserved before stays reserved.
   */
  readonly reserve: (exchange: Exchange, bytes: number) => void;
  /**
   * As `reserve`, for a body that is not there yet. A small one gets its bytes in any case, and may be refused later.
   * @param refuse ends the reading of the body.
   */
  readonly hold: (exchange: Exchange, bytes: number, refuse: (error: Error) => void) => void;
  /** Says that the body is there: a small one counts no longer, because the limit on requests bounds it. */
  readonly arrived: (exchange: Exchange) => void;
  readonly release: (exchange: Exchange) => void;
}

/**
 * Limits how many bytes of bodies are in memory at once. Small bodies that arrive together with their head do not count,
 * because the limit on requests bounds them already; so large bodies never keep small ones out.
 *
 * Small bodies that arrive in pieces have half as many bytes of their own. If they need more, the one that began first is
 * refused: usual ones take milliseconds, so a client that leaves thousands unfinished keeps nobody out.
 *
 * @param max must be at least the size of the largest body, otherwise that would never be accepted.
 */
export function limitBodies(max: number): BodyLimit {
  let large = 0;
  let small = 0;
  // In the order in which they began.
  const unfinished = new OrderedList<Exchange>();

  function reserve(exchange: Exchange, bytes: number): void {
    // The client may have gone away while its token was checked: nobody would release what is reserved now.
    if (bytes <= Math.max(SMALL, exchange.bodyBytes) || !exchange.isOpen) return;
    const more = bytes - (exchange.bodyBytes > SMALL ? exchange.bodyBytes : 0);
    if (large + more > max) throw tooMany('large bodies');
    arrived(exchange);
    large += more;
    exchange.bodyBytes = bytes;
  }

  function arrived(exchange: Exchange): void {
    if (exchange.bodyBytes > SMALL) return;
    small -= exchange.bodyBytes;
    unfinished.delete(exchange);
    exchange.refuseBody = undefined;
    exchange.bodyBytes = 0;
  }

  return {
    reserve,
    hold(exchange, bytes, refuse) {
      if (bytes > SMALL) reserve(exchange, bytes);
      else if (bytes > exchange.bodyBytes && exchange.isOpen) {
        small += bytes - exchange.bodyBytes;
        exchange.bodyBytes = bytes;
        exchange.refuseBody = refuse;
        unfinished.add(exchange);
        while (small > max / 2 && unfinished.first) {
          const { first } = unfinished;
          const refuseFirst = first.refuseBody;
          arrived(first);
          refuseFirst?.(tooMany('bodies that do not arrive at once'));
        }
      }
    },
    arrived,
    release(exchange) {
      arrived(exchange);
      large -= exchange.bodyBytes;
      exchange.bodyBytes = 0;
    },
  };
}

function tooMany(what: string): EdgeError {
  return edgeError('overloaded', `the service is reading too many ${what}; retry the same request`, retryLater);
}
