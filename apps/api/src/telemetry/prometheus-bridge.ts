import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type PrometheusMetric = MetricObjectWithValues<MetricValue<string>>;

/**
 * Exports the metrics of a Prometheus registry to OpenTelemetry, so that nothing is counted twice. Metrics with a semantic
 * convention take its name, the others keep theirs; buckets, sums and counts are the same.
 */
export function prometheusBridge(registry: Registry): MetricProducer {
  const startTime = now();
  return {
    async collect() {
      const endTime = now();
      const metrics = ((await registry.getMetricsAsJSON()) as unknown as PrometheusMetric[])
        .filter(({ values }) => values.length > 0)
        .map((metric) => metricData(metric, startTime, endTime));
      const scopeMetrics = [{ scope: { name: 'plant-store' }, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/** The names of OpenTelemetry's semantic conventions for HTTP servers. */
const conventional: Readonly<Record<string, string>> = {
  http_server_request_duration_seconds: 'http.server.request.duration',
  http_server_active_requests: 'http.server.active_requests',
  http_request_method: 'http.request.method',
  http_response_status_code: 'http.response.status_code',
  http_route: 'http.route',
};

/** Gauges in Prometheus, which the conventions make UpDownCounters: sums over all instances mean something. */
const upDownCounters: ReadonlySet<string> = new Set(['http_server_active_requests']);

function metricData(metric: PrometheusMetric, startTime: HrTime, endTime: HrTime): MetricData {
  const { name, help, values } = metric;
  const descriptor = {
    name: conventional[name] ?? name,
    description: help,
    unit: unitOf(name),
    valueType: ValueType.DOUBLE,
  };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const base = { descriptor, aggregationTemporality };
  // Declared as a number, but it is the name.
  const type = String(metric.type);
  if (type === 'histogram') {
    const dataPoints = histograms(values).map(([attributes, value]) => ({ startTime, endTime, attributes, value }));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints: DataPoint<number>[] = values.map(({ labels, value }) => ({
    startTime,
    endTime,
    attributes: attributesOf(labels),
    value,
  }));
  const isMonotonic = type === 'counter';
  if (isMonotonic || upDownCounters.has(name))
    return { ...base, dataPointType: DataPointType.SUM, isMonotonic, dataPoints };
  return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus' buckets are cumulative, OpenTelemetry's are not. */
function histograms(values: readonly MetricValue<string>[]): (readonly [Attributes, Histogram])[] {
  const series = new Map<string, { attributes: Attributes; bounds: number[]; upTo: number[]; sum: number }>();
  for (const { metricName, labels, value } of values as readonly MetricValueWithName<string>[]) {
    const { le, ...others } = labels as Record<string, string | number>;
    const key = JSON.stringify(others);
    const one = series.get(key) ?? { attributes: attributesOf(others), bounds: [], upTo: [], sum: 0 };
    series.set(key, one);
    if (metricName?.endsWith('_sum')) one.sum = value;
    if (!metricName?.endsWith('_bucket')) continue;
    one.upTo.push(value);
    if (le !== '+Inf') one.bounds.push(Number(le));
  }
  return [...series.values()].map(({ attributes, bounds, upTo, sum }) => {
    const counts = upTo.map((count, at) => count - (upTo[at - 1] ?? 0));
    return [attributes, { buckets: { boundaries: bounds, counts }, sum, count: upTo.at(-1) ?? 0 }];
  });
}

function attributesOf(labels: Readonly<Record<string, string | number | undefined>>): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [conventional[name] ?? name, value]));
}

/** The wall clock as seconds and nanoseconds. */
function now(): HrTime {
  const ms = Date.now();
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}

/** UCUM units, from the suffix of the Prometheus name. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  if (/_bytes(_total)?$/.test(name)) return 'By';
  return '1';
}
