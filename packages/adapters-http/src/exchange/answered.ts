import type { ServerResponse } from 'node:http';

const listener: unique symbol = Symbol('whoever is told that the answer was made');

type Told = ServerResponse & { [listener]?: ((response: ServerResponse) => void) | undefined };

/** Has this function called when the answer to the request is made; not, when it is closed before. */
export function onceAnswered(response: Told, onAnswered: (response: ServerResponse) => void): void {
  response[listener] = onAnswered;
}

/** Nobody is to be told any more. */
export function forgetAnswered(response: Told): void {
  response[listener] = undefined;
}

/** Says that the answer is made: all that is left is that the caller reads it. */
export function answered(response: Told): void {
  const onAnswered = response[listener];
  response[listener] = undefined;
  onAnswered?.(response);
}
