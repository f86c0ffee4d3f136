import { HttpError, retryLater } from '../errors/http-error.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** How many requests of a connection may be without a read response. Programs that pipeline at all send tens. */
const MAX_PIPELINED = 100;

/** The limit on requests in flight: those that were admitted and have no complete response. */
export interface RequestLimit {
  readonly inFlight: () => number;
  /** @throws {HttpError} `overloaded`. */
  readonly admit: (exchange: Exchange) => void;
  /** Does nothing if it was not admitted, or was released before. */
  readonly release: (exchange: Exchange) => void;
}

/**
 * Limits how many requests are in flight, and how many a connection may pipeline. Requests beyond that are refused before
 * anything is done for them: those admitted keep their time, and memory stays flat.
 */
export function limitRequests(max: number): RequestLimit {
  let inFlight = 0;
  return {
    inFlight: () => inFlight,
    admit(exchange) {
      refuseExcessPipelining(exchange);
      if (inFlight >= max)
        throw new HttpError('overloaded', 'the service is overloaded; retry the same request', retryLater);
      inFlight += 1;
      exchange.inFlight = true;
    },
    release(exchange) {
      if (!exchange.inFlight) return;
      inFlight -= 1;
      exchange.inFlight = false;
    },
  };
}

/** Ends the connection: Node hands over everything that arrived in one segment at once, up to two thousand requests. */
function refuseExcessPipelining({ connection }: Exchange): void {
  if (connection.unfinished <= MAX_PIPELINED) return;
  connection.closeAfterResponse = true;
  const message = `too many pipelined requests: read the responses before sending more than ${MAX_PIPELINED} requests on a connection`;
  throw new HttpError('overloaded', message, { ...retryLater, connection: 'close' });
}
