import { type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { type Spans, spansBy } from '../../src/telemetry/spans.ts';

/** The spans that a tracer has begun, with what they were given: of a failed one `failed` is true. */
function recorder() {
  const recorded: Record<string, unknown>[] = [];
  const startSpan: Tracer['startSpan'] = (name, { attributes = {} } = {}) => {
    const one: Record<string, unknown> = { name, ...attributes };
    recorded.push(one);
    return {
      spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
      setAttribute: (key: string, value: unknown) => Object.assign(one, { [key]: value }),
      setStatus: ({ code }: { code: SpanStatusCode }) => Object.assign(one, { failed: code === SpanStatusCode.ERROR }),
      end() {},
    } as unknown as Span;
  };
  return { recorded, spans: spansBy({ startSpan } as Tracer) };
}

test.each([
  [undefined, 'client gone'],
  [503, '503'],
])('a span that ends with the status %s has the error type %s', (status, type) => {
  const { recorded, spans } = recorder();
  spans.startSpan('POST', '/plants', {}, 'the-request').end(status);
  expect(recorded).toMatchObject([{ name: 'POST /plants', 'error.type': type, failed: true }]);
});

const turn = () => new Promise((done) => setImmediate(done));
const of = (size: number) => ({ name: 'commit', 'db.operation.batch.size': size });

test.each<[which: string, commits: object[], write: (spans: Spans) => void, last?: (spans: Spans) => void]>([
  ['its own', [of(5)], (spans) => spans.wrote('done', 5, 0)],
  ['a failed one', [{ ...of(5), failed: true }], (spans) => spans.wrote('failed', 5, 0)],
  ['the last of several', [of(7)], (spans) => spans.wrote('done', 5, 0), (spans) => spans.wrote('done', 7, 0)],
  ['none that began before the plant was given to the store', [], (spans) => spans.wrote('done', 5, 60)],
  ['none that ended in an earlier turn', [], (spans) => spans.wrote('done', 5, 0), () => {}],
])(
  'the trace of a create, also of one that fails, has the commit of its plant: %s',
  async (_, commits, write, last) => {
    for (const failure of [undefined, new Error('no answer')]) {
      const { recorded, spans } = recorder();
      const createPlant = async () => {
        await turn();
        write(spans);
        if (last) await turn();
        last?.(spans);
        if (failure) throw failure;
        return { outcome: 'created', plant: { name: 'Fern' } } as const;
      };
      spans.startSpan('POST', '/plants', {}, 'the-request');
      const creating = spans.traced({ createPlant }).createPlant({ id: 1n, name: 'Fern' });
      expect(await creating.catch((error: unknown) => error)).toEqual(failure ?? expect.anything());
      expect(recorded.slice(1)).toEqual(commits);
    }
  },
);
