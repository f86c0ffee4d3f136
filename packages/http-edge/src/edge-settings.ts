import type { FastifyBaseLogger } from 'fastify';
import type { edgeLimits, GivenLimits } from './edge-limits.ts';
import type { Acceptor } from './exchange/closing.ts';
import type { LogRequest } from './telemetry/access-log.ts';
import type { RequestObserver } from './telemetry/request-observer.ts';

/** What an operator and an application set. */
export interface EdgeSettings extends GivenLimits<typeof edgeLimits> {
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
  /** The process that accepts connections for this one; without it, this one does. */
  readonly acceptor?: Acceptor;
}
