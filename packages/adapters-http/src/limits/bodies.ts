import type { ServerResponse } from 'node:http';
import { RequestFailure, retrySoon } from '../errors/http-error.ts';

/** What counts as small, in bytes: more than a hundred usual plants. */
const SMALL = 16_384;

/** The bytes of the bodies that are being read, or are kept until their requests are answered. */
export interface BodiesInFlight {
  /**
   * Makes it so many bytes for this request, of which some may have been held before.
   * @throws {RequestFailure} `overloaded`; the request holds then what it held before.
   */
  readonly hold: (response: ServerResponse, bytes: number) => void;
  /** Gives back what the request held, if anything. */
  readonly leave: (response: ServerResponse) => void;
}

/**
 * Makes the bound on how many bytes of bodies are held at once. Small bodies are not counted: the bound on requests keeps
 * them small altogether, and so large ones never keep usual plants out.
 *
 * @param max is at least as large as the largest body, which would never be let in otherwise.
 */
export function limitBodies(max: number): BodiesInFlight {
  const held = new Map<ServerResponse, number>();
  let sum = 0;
  return {
    hold(response, bytes) {
      if (bytes <= SMALL) return;
      const more = bytes - (held.get(response) ?? 0);
      if (sum + more > max) {
        const message = 'the service has too many large bodies to read right now; send the same request again';
        throw new RequestFailure('overloaded', message, retrySoon);
      }
      sum += more;
      held.set(response, bytes);
    },
    leave(response) {
      sum -= held.get(response) ?? 0;
      held.delete(response);
    },
  };
}
