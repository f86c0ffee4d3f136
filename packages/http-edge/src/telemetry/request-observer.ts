import type { RequestSpan, TraceContext } from '../exchange/trace-context.ts';

/**
 * Counts, times and traces requests. What it gets contains no token and nothing of a body, and the methods and routes are
 * from a fixed set, whatever clients send. It must not throw.
 */
export interface RequestObserver {
  /**
   * Called for every response.
   *
   * @param method the method, `_OTHER` if it is none of RFC 9110 or RFC 5789, or the request could not be read.
   * @param route the path of the route that took the request; undefined if there is none for it.
   * @param seconds from the end of the request's head to the end of its response; undefined if there was no request: what
   * came was malformed, or came over the connection limit.
   */
  completed(method: string, route: string | undefined, status: number, seconds: number | undefined): void;
  /** Called once, with a function that returns the number of requests in flight. */
  watch(requestsInFlight: () => number): void;
  /** Begins to trace a request; without it, none is traced. */
  startSpan?(request: TracedRequest): RequestSpan;
}

/** What is known of a request once its head was read. */
export interface TracedRequest {
  readonly method: string;
  readonly route: string | undefined;
  /** The client's own place in the trace. */
  readonly parent: TraceContext | undefined;
  readonly requestId: string;
}
