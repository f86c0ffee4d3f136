import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { requestSpans } from '../../src/telemetry/request-spans.ts';

test.each([
  ['the client', false, 'client gone'],
  ['the service', true, 'cut off'],
] as const)(
  'a span whose connection was closed by %s before the response was read has an error type of its own',
  (_, isCutOff, type) => {
    const exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    requestSpans(provider.getTracer('test'))?.({
      method: 'POST',
      route: '/plants',
      parent: undefined,
      requestId: 'the-request',
    }).end(undefined, isCutOff);
    expect(exporter.getFinishedSpans()).toMatchObject([{ attributes: { 'error.type': type } }]);
  },
);
