import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { RequestObserver } from '@plant-store/adapters-http';
import type { Registry } from 'prom-client';
import { type OtlpSettings, readOtlpSettings } from '../config/index.ts';
import { prometheusBridge } from './prometheus-bridge.ts';
import { requestSpans } from './request-spans.ts';
import { warnOncePerOutage } from './warn-once-per-outage.ts';

/** Maximum time that shutdown waits for the last export, in milliseconds. */
const FLUSH_MS = 2_000;

/** Called with a message that needs no immediate action. */
export type OnWarning = (message: string) => void;

/** The export over OTLP. */
export interface Otlp {
  /** Undefined if no traces are exported. */
  readonly startSpan: RequestObserver['startSpan'];
  /** Exports what is left, for at most two seconds. Does not throw. */
  close(): Promise<void>;
}

/**
 * Exports the traces of requests and the metrics of the registry over OTLP/HTTP with protobuf. No request waits for it: once
 * 2,048 spans are queued, further ones are dropped.
 *
 * @throws {ConfigError} if an `OTEL_*` variable is invalid or unsupported.
 */
export function openOtlp(environment: NodeJS.ProcessEnv, registry: Registry, onWarning: OnWarning): Otlp {
  const settings = readOtlpSettings(environment);
  const report = (message: string) => onWarning(`OpenTelemetry: ${firstLine(message)}`);
  const quiet = () => {};
  diag.setLogger(
    { error: report, warn: report, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );

  const resource = resourceOfThisProcess();
  const tracers = settings.traces ? tracerProvider(resource, settings, report) : undefined;
  const meters = settings.metrics ? meterProvider(resource, settings, registry, report) : undefined;
  return {
    startSpan: tracers && requestSpans(tracers.getTracer('plant-store')),
    async close() {
      const sent = Promise.allSettled([tracers?.shutdown(), meters?.shutdown()]);
      await Promise.race([sent, sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

function tracerProvider(resource: Resource, settings: OtlpSettings, report: OnWarning): TracerProvider {
  const exporter = new OTLPTraceExporter();
  warnOncePerOutage(exporter, (reason) => report(`exporting traces failed: ${reason}`));
  const spanProcessors = [new BatchSpanProcessor({ exporter })];
  return new TracerProvider({ resource, sampler: samplerOf(settings), spanProcessors });
}

function meterProvider(
  resource: Resource,
  { metricIntervalMs }: OtlpSettings,
  registry: Registry,
  report: OnWarning,
): MeterProvider {
  const exporter = new OTLPMetricExporter();
  warnOncePerOutage(exporter, (reason) => report(`exporting metrics failed: ${reason}`));
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricIntervalMs,
    metricProducers: [prometheusBridge(registry)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function samplerOf({ sampler, samplerRatio }: OtlpSettings): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(samplerRatio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` take precedence. */
function resourceOfThisProcess(): Resource {
  const own = { 'service.name': 'plant-store', 'service.instance.id': randomUUID(), 'process.pid': process.pid };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Errors are JSON with a stack, or several lines. */
function firstLine(message: string): string {
  const [line = ''] = (/"message":"([^"]*)"/.exec(message)?.[1] ?? message).split('\n');
  return line.slice(0, 300);
}
