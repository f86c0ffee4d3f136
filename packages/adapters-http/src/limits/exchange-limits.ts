import type { Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { forgetAnswered, onceAnswered } from '../exchange/answered.ts';
import { limitBodies } from './bodies.ts';
import { countPipelined, refuseTooManyPipelined, uncountPipelined } from './pipelining.ts';
import { limitInFlight } from './requests.ts';
import { limitUnreadAnswers } from './slow-readers.ts';

/** What may be under way at once; the numbers are those of `createHttpServer`. */
export interface ExchangeMaxima {
  readonly maxRequestsInFlight: number;
  readonly maxBodyBytesInFlight: number;
  readonly answerTimeout: number;
}

/** The bounds on what is kept for requests, from their heads until their answers are read. */
export interface ExchangeLimits {
  /** How many requests are being read or answered. */
  readonly inFlight: () => number;
  /** Has to be called for every request, also for one that is not let in. */
  readonly begin: (response: ServerResponse) => void;
  /** Gives the request a place, which it has until its answer is made. @throws {RequestFailure} `overloaded`. */
  readonly enter: (response: ServerResponse) => void;
  /** Makes it so many bytes of body for the request, until its answer is made. @throws {RequestFailure} `overloaded`. */
  readonly holdBody: (response: ServerResponse, bytes: number) => void;
}

/**
 * Makes these bounds. A request has its place while the service has work with it. Once its answer is made, it is up to
 * the caller how long it takes to read it, so nobody else waits for that: unread answers have a bound of their own, as
 * many as there may be requests, and an end.
 */
export function limitExchanges(server: Server, log: FastifyBaseLogger, maxima: ExchangeMaxima): ExchangeLimits {
  const requests = limitInFlight(maxima.maxRequestsInFlight);
  const bodies = limitBodies(maxima.maxBodyBytesInFlight);
  const unread = limitUnreadAnswers(server, maxima.maxRequestsInFlight, maxima.answerTimeout, log);
  const leave = (response: ServerResponse) => {
    requests.leave(response);
    bodies.leave(response);
  };
  const onAnswered = (response: ServerResponse) => {
    leave(response);
    unread.add(response);
  };
  function onClose(this: ServerResponse): void {
    forgetAnswered(this);
    leave(this);
    unread.delete(this);
    uncountPipelined(this);
  }
  return {
    inFlight: requests.count,
    begin(response) {
      countPipelined(response);
      onceAnswered(response, onAnswered);
      response.once('close', onClose);
    },
    enter(response) {
      refuseTooManyPipelined(response);
      requests.enter(response);
    },
    holdBody: bodies.hold,
  };
}
