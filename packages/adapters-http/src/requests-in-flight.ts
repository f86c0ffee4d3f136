import type { ServerResponse } from 'node:http';
import { RequestFailure, retrySoon } from './request-failure.ts';

/** The requests that are being read or answered. */
export interface RequestsInFlight {
  /** How many they are. */
  readonly inFlight: () => number;
  /** Lets one more in. @throws {RequestFailure} `overloaded`. */
  readonly enter: (response: ServerResponse) => void;
}

/**
 * Makes the bound on how many requests are being read or answered at once. Beyond it they are refused before anything is
 * done for them: those that were let in keep their time, and memory stays flat.
 */
export function limitInFlight(max: number): RequestsInFlight {
  let inFlight = 0;
  const onClose = () => {
    inFlight -= 1;
  };
  return {
    inFlight: () => inFlight,
    enter(response) {
      if (inFlight >= max) {
        const message = 'the service has too much to do right now; send the same request again';
        throw new RequestFailure('overloaded', message, retrySoon);
      }
      inFlight += 1;
      response.once('close', onClose);
    },
  };
}
