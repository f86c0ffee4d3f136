import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RequestFailure, retrySoon } from '../errors/http-error.ts';
import { endAfterThisRequest } from '../exchange/last-request.ts';

/** How many requests of a connection may be without a read answer. Programs that pipeline at all send tens. */
const MAX_PIPELINED = 100;

const unfinished: unique symbol = Symbol('how many requests of the connection have no read answer');

type Counted = Socket & { [unfinished]?: number };

/** One more request of its connection has begun. */
export function countPipelined({ req: { socket } }: ServerResponse): void {
  const counted: Counted = socket;
  counted[unfinished] = (counted[unfinished] ?? 0) + 1;
}

/** Its answer was read, or its connection is closed. */
export function uncountPipelined({ req: { socket } }: ServerResponse): void {
  const counted: Counted = socket;
  counted[unfinished] = (counted[unfinished] ?? 0) - 1;
}

/**
 * Refuses a request behind too many that were pipelined, and ends the connection: Node gives all that has come in one
 * segment to us at once, up to two thousand requests.
 *
 * @throws {RequestFailure} `overloaded`.
 */
export function refuseTooManyPipelined({ req: { socket } }: ServerResponse): void {
  const counted: Counted = socket;
  if ((counted[unfinished] ?? 0) <= MAX_PIPELINED) return;
  endAfterThisRequest(socket);
  const message = `read the answers before you send more than ${MAX_PIPELINED} requests on a connection`;
  throw new RequestFailure('overloaded', message, { ...retrySoon, connection: 'close' });
}
