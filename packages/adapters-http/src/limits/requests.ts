import type { ServerResponse } from 'node:http';
import { RequestFailure, retrySoon } from '../errors/http-error.ts';

/** The requests that are being read or answered. */
export interface RequestsInFlight {
  /** How many they are. */
  readonly count: () => number;
  /** Lets one more in. @throws {RequestFailure} `overloaded`. */
  readonly enter: (response: ServerResponse) => void;
  /** Gives back the place of one, if it has one. */
  readonly leave: (response: ServerResponse) => void;
}

/**
 * Makes the bound on how many requests are being read or answered at once. Beyond it they are refused before anything is
 * done for them: those that were let in keep their time, and memory stays flat.
 */
export function limitInFlight(max: number): RequestsInFlight {
  const inFlight = new Set<ServerResponse>();
  return {
    count: () => inFlight.size,
    enter(response) {
      if (inFlight.size >= max) {
        const message = 'the service has too much to do right now; send the same request again';
        throw new RequestFailure('overloaded', message, retrySoon);
      }
      inFlight.add(response);
    },
    leave: (response) => void inFlight.delete(response),
  };
}
