import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { requestSpans } from '../../src/telemetry/request-spans.ts';

test.each([
  [undefined, 'client gone'],
  [503, '503'],
])('a span that ends with the status %s has the error type %s', (status, type) => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  requestSpans(provider.getTracer('test'))('POST', '/plants', {}, 'the-request').end(status);
  expect(exporter.getFinishedSpans()).toMatchObject([{ attributes: { 'error.type': type } }]);
});
