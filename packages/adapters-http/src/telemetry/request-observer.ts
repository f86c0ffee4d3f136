import type { TraceContext } from './trace-context.ts';

/**
 * Whoever counts, times and traces requests. What it is told holds neither a token nor anything of a body, and names that
 * a caller can make up are not among the methods and routes. It must not throw.
 */
export interface RequestObserver {
  /**
   * Called for every answer.
   *
   * @param method the method, `_OTHER` where it is none of RFC 9110 or RFC 5789, or the request could not be read.
   * @param route the path of the route that took the request; undefined where there is none for it.
   * @param seconds from the end of the request's head to the end of its answer; undefined where there was no request: what
   * came could not be read as one, or came over a connection too many.
   */
  answered(method: string, route: string | undefined, status: number, seconds: number | undefined): void;
  /** Called once, with the number of requests that are being read or answered. */
  watch(requestsInFlight: () => number): void;
  /** Begins to trace a request; left out, none is traced. */
  startSpan?(request: TracedRequest): RequestSpan;
}

/** What is known of a request once its head was read. */
export interface TracedRequest {
  readonly method: string;
  readonly route: string | undefined;
  /** What the caller says of its own trace. */
  readonly parent: TraceContext | undefined;
  readonly requestId: string;
}

/** The service's part in the trace of a request. */
export interface RequestSpan {
  readonly context: TraceContext;
  /** Traces a part of the request. Answers, and throws, what the work does. */
  part<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** @param status undefined where the caller was gone before there was an answer. */
  end(status: number | undefined): void;
}
