import type { RequestObserver } from '@plant-store/adapters-http';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Series, SeriesHistogram } from './series-histogram.ts';

/** The part of the observer of requests that metrics need. */
export type RequestMetrics = Pick<RequestObserver, 'completed' | 'watch'>;

/** The metrics of requests, by OpenTelemetry's semantic conventions for HTTP servers. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const duration = new SeriesHistogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP server requests, from the end of the request header to the end of the response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'] as const,
    // The convention's buckets begin at 5 ms, but most requests here complete faster.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const withoutRequest = new Counter({
    name: 'http_server_responses_without_request_total',
    help: 'Responses sent without a request: malformed HTTP. Not timed.',
    labelNames: ['http_response_status_code'] as const,
    registers,
  });
  // It starts at 0, so that the first response counts as an increase.
  withoutRequest.inc({ http_response_status_code: 400 }, 0);
  const all: StatusSeries[] = [];

  function seriesOf(method: string, route: string | undefined, status: number): StatusSeries {
    // A linear search: there are few, and the most frequent ones come first.
    const known = all.find((one) => one.status === status && one.route === route && one.method === method);
    if (known) return known;
    const labels = { http_request_method: method, http_response_status_code: status };
    const observed = duration.series(route === undefined ? labels : { ...labels, http_route: route });
    const series = { method, route, status, observed };
    all.push(series);
    return series;
  }

  return {
    completed(method, route, status, seconds) {
      if (seconds === undefined) withoutRequest.inc({ http_response_status_code: status });
      else seriesOf(method, route, status).observed.observe(seconds);
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

interface StatusSeries {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly observed: Series;
}
