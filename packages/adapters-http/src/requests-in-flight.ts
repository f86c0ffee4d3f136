import type { ServerResponse } from 'node:http';
import { RequestFailure, retrySoon } from './request-failure.ts';

/**
 * Makes the bound on how many requests are being read or answered at once. Beyond it they are refused before anything is
 * done for them: those that were let in keep their time, and memory stays flat.
 */
export function limitInFlight(max: number): (response: ServerResponse) => void {
  let inFlight = 0;
  const onClose = () => {
    inFlight -= 1;
  };
  /** @throws {RequestFailure} `overloaded`. */
  return (response) => {
    if (inFlight >= max) {
      const message = 'the service has too much to do right now; send the same request again';
      throw new RequestFailure('overloaded', message, retrySoon);
    }
    inFlight += 1;
    response.once('close', onClose);
  };
}
