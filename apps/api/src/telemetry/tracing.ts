import { setTimeout as sleep } from 'node:timers/promises';
import { DiagLogLevel, diag, type ProxyTracerProvider, trace } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { type Spans, spansBy } from './spans.ts';

/** The maximum time that shutdown waits for the last export, in milliseconds. */
const FLUSH_MS = 2_000;

/** One minute, so that a receiver that is down overnight does not fill the log. */
const BETWEEN_WARNINGS_MS = 60_000;

/**
 * Starts OpenTelemetry's SDK for traces, configured by its `OTEL_*` variables. Requests never wait for it: if its queue is full,
 * further spans are dropped.
 *
 * @param onWarning called for each variable that the SDK does not understand, and after startup at most once a minute.
 * @returns no spans if the variables disable them.
 */
export function startTracing(onWarning: (message: string) => void): {
  readonly spans: Spans | undefined;
  close(): Promise<void>;
} {
  let isStarted = false;
  let quietUntil = 0;
  const warn = (message: string) => {
    if (performance.now() < quietUntil) return;
    // During startup every warning is about a different variable.
    if (isStarted) quietUntil = performance.now() + BETWEEN_WARNINGS_MS;
    onWarning(`OpenTelemetry: ${firstLine(message)}`);
  };
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);

  // The SDK's default has the baggage as well, which nobody reads here. To parse that of many requests would delay others.
  process.env['OTEL_PROPAGATORS'] ||= 'tracecontext';
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'plant-store' })),
    // Metrics are served for Prometheus, and logs are written to standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  isStarted = true;
  // Undefined if no provider is registered, with OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none.
  const provider = trace.getTracerProvider() as ProxyTracerProvider;
  const tracer = provider.getDelegateTracer('plant-store');
  return {
    spans: tracer && spansBy(tracer),
    async close() {
      await Promise.race([sdk.shutdown().catch(warn), sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}

/** The first line of a message. The SDK reports errors as JSON with message and stack. Secrets before a URL's host are masked. */
function firstLine(text: string): string {
  const [line = ''] = messageOf(text).split('\n');
  return line.replace(/\/\/[^\s/]*@/g, '//***@').slice(0, 300);
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}
