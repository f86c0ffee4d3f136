import { edgeError, retryLater } from '../errors/http-error.ts';
import type { Exchange, Place } from '../exchange/exchange.ts';

/** How many requests of a connection may be without a read response. Programs that pipeline at all send tens. */
const MAX_PIPELINED = 100;

/** The limit on requests in flight: those that were admitted and have no complete response. */
export interface RequestLimit {
  readonly inFlight: () => number;
  /** Counts an exchange until it is closed, admitted or not. */
  readonly opened: () => void;
  readonly closed: (exchange: Exchange) => void;
  /**
   * Gives a request that has just begun a place.
   * @throws {HttpError} `overloaded`.
   */
  readonly admit: (exchange: Exchange, place: Place) => void;
  /**
   * Gives a request a place again that had released it in order to wait for its body.
   * @throws {HttpError} `overloaded`.
   */
  readonly admitAgain: (exchange: Exchange) => void;
  /** Does nothing if it was not admitted, or was released before. */
  readonly release: (exchange: Exchange) => void;
}

/**
 * Limits how many requests are in flight, and how many a connection may pipeline. Requests beyond that are refused before
 * anything is done for them: those admitted keep their time, and memory stays flat. Documents, which anybody may read, have
 * as many places of their own, so that a busy store keeps nobody from reading them.
 *
 * All that arrives on all connections in one turn of the event loop is in memory together. So once twice `max` requests are
 * unfinished, a connection may pipeline two.
 */
export function limitRequests(max: number): RequestLimit {
  const inFlight = { operations: 0, documents: 0 };
  let unfinished = 0;

  function take(exchange: Exchange, place: Place): void {
    // The client may have gone away while its body was awaited.
    if (!exchange.isOpen) return;
    if (inFlight[place] >= max)
      throw edgeError('overloaded', 'the service is overloaded; retry the same request', retryLater);
    inFlight[place] += 1;
    exchange.place = place;
  }

  function release(exchange: Exchange): void {
    if (!exchange.place) return;
    inFlight[exchange.place] -= 1;
    exchange.place = undefined;
  }

  return {
    inFlight: () => inFlight.operations + inFlight.documents,
    opened() {
      unfinished += 1;
    },
    closed(exchange) {
      unfinished -= 1;
      release(exchange);
    },
    admit(exchange, place) {
      refuseExcessPipelining(exchange, unfinished > 2 * max ? 2 : MAX_PIPELINED);
      take(exchange, place);
    },
    admitAgain: (exchange) => take(exchange, 'operations'),
    release,
  };
}

/** Ends the connection: Node hands over everything that arrived in one segment at once, up to two thousand requests. */
function refuseExcessPipelining({ connection }: Exchange, most: number): void {
  if (connection.unfinished <= most) return;
  connection.closeAfterResponse = true;
  const message = `too many pipelined requests: read the responses before sending more than ${most} requests on a connection`;
  throw edgeError('overloaded', message, { ...retryLater, connection: 'close' });
}
