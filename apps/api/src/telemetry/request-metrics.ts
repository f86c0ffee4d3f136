import type { RequestObserver } from '@plant-store/adapters-http';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The methods of a RequestObserver that metrics need. */
export type RequestMetrics = Pick<RequestObserver, 'completed' | 'watch'>;

/** Creates the metrics of requests, by OpenTelemetry's semantic conventions for HTTP servers. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests, from the end of the request header to the end of the response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    // The convention's buckets begin at 5 ms, but most requests here complete faster.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const malformed = new Counter({
    name: 'http_server_responses_without_request_total',
    help: 'Responses sent without a request: malformed HTTP. Not timed.',
    labelNames: ['http_response_status_code'],
    registers,
  });
  // Starts at 0, so that the first response counts as an increase.
  malformed.inc({ http_response_status_code: 400 }, 0);

  return {
    completed(method, route, status, seconds) {
      if (seconds === undefined) malformed.inc({ http_response_status_code: status });
      else {
        const labels = { http_request_method: method, http_response_status_code: status };
        duration.observe(route === undefined ? labels : { ...labels, http_route: route }, seconds);
      }
    },
    watch(requestsInFlight) {
      new Gauge({
        name: 'http_server_active_requests',
        help: 'Number of HTTP server requests in flight.',
        registers,
        collect() {
          this.set(requestsInFlight());
        },
      });
    },
  };
}
