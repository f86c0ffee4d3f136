import type { FastifyBaseLogger } from 'fastify';
import type { Acceptor } from './exchange/closing.ts';
import type { LogRequest } from './telemetry/access-log.ts';
import type { RequestObserver } from './telemetry/request-observer.ts';

/** What an operator and an application set. */
export interface EdgeSettings {
  /**
   * Gets one line for each request, and the cause of every 500. Nothing is logged without it. It is not Fastify's: `app.log`
   * and `request.log` are silent.
   */
  readonly logger?: FastifyBaseLogger;
  /**
   * Gets the completed requests in place of `logger`, which otherwise has a line `request completed` for each: something
   * that knows their few fields writes them at a fraction of the cost. It must not throw.
   */
  readonly logRequest?: LogRequest;
  /** Notified of every request, for metrics and traces. */
  readonly observer?: RequestObserver;
  /** The largest body, in bytes. 1 MiB by default: thousands of times a usual record, and little memory for a request. */
  readonly bodyLimit?: number;
  /**
   * The maximum number of requests in flight; those beyond are responded to with 503 before anything is done for them. A
   * request that waits for its body is none, and documents count apart.
   * 2,000 by default: what one process completes in about a tenth of a second. The same number of responses may wait to be
   * read; beyond that, the connection of the one that has been unread longest is cut off.
   */
  readonly maxRequestsInFlight?: number;
  /**
   * The maximum bytes of bodies above 16 KiB in memory at once, at least `bodyLimit`; those beyond are responded to with
   * 503. Smaller bodies that have not arrived may take half of it; beyond that, the oldest gets 503. 64 MiB by default: what they take while they are parsed and stored stays below the 512 MiB that a container is
   * usually given.
   */
  readonly maxBodyBytesInFlight?: number;
  /**
   * The maximum number of open connections. Beyond that, a new one replaces the one that has been idle longest; if none is
   * idle, the new one is responded to with 503. 10,000 by default: some 160 MB.
   */
  readonly maxConnections?: number;
  /** How long the headers of a request may take, in milliseconds. 5,000 by default: slow senders must not pile up. */
  readonly headersTimeout?: number;
  /** How long a whole request may take to arrive, in milliseconds. 10,000 by default, for the same reason. */
  readonly requestTimeout?: number;
  /**
   * How long a client may take to read a response, in milliseconds, before its connection is cut off. 60,000 by default:
   * 2 MB arrive in that on a slow phone. A slow reader holds up nobody else.
   */
  readonly responseTimeout?: number;
  /**
   * How long `close` waits for requests that are arriving or in progress, in milliseconds, before it cuts their
   * connections. 5,000 by default: an operation responds within 2,000, and a process usually has 10 seconds to exit, of which
   * {@link drain} may take some.
   */
  readonly closeTimeout?: number;
  /** The process that accepts connections for this one; without it, this one does. */
  readonly acceptor?: Acceptor;
}
