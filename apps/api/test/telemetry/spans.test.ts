import { type Span, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { CreatePlant } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { type Spans, spansBy } from '../../src/telemetry/spans.ts';

/** What a span was given. */
interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  isError: boolean;
}

/** A tracer, and its spans in the order in which they began. */
function recorder() {
  const recorded: Recorded[] = [];
  const startSpan: Tracer['startSpan'] = (name, { attributes = {} } = {}) => {
    const one: Recorded = { name, attributes: { ...attributes }, isError: false };
    recorded.push(one);
    const span: Partial<Span> = {
      spanContext: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
      setAttribute(key, value) {
        one.attributes[key] = value;
        return span as Span;
      },
      setStatus({ code }) {
        one.isError = code === SpanStatusCode.ERROR;
        return span as Span;
      },
      end() {},
    };
    return span as Span;
  };
  return { recorded, spans: spansBy({ startSpan } as Tracer) };
}

test.each([
  [undefined, 'client gone'],
  [503, '503'],
])('a span that ends with the status %s has the error type %s', (status, type) => {
  const { recorded, spans } = recorder();
  spans.startSpan('POST', '/plants', {}, 'the-request').end(status);
  expect(recorded).toMatchObject([{ name: 'POST /plants', attributes: { 'error.type': type }, isError: true }]);
});

const turn = () => new Promise((done) => setImmediate(done));
const plant = { id: 1n, name: 'Fern' };
const created = { outcome: 'created', plant } as const;
const of = (size: number, isError = false) => ({
  name: 'commit',
  attributes: { 'db.operation.batch.size': size },
  isError,
});

test.each<[string, (spans: Spans) => Promise<void>, object[]]>([
  ['its own', async (spans) => spans.wrote('done', 5, 0), [of(5)]],
  ['a failed one', async (spans) => spans.wrote('failed', 5, 0), [of(5, true)]],
  [
    'the last of several',
    async (spans) => {
      spans.wrote('done', 5, 0);
      await turn();
      spans.wrote('done', 7, 0);
    },
    [of(7)],
  ],
  ['none that began before the plant was given to the store', async (spans) => spans.wrote('done', 5, 60), []],
  [
    'none that ended in an earlier turn',
    async (spans) => {
      spans.wrote('done', 5, 0);
      await turn();
    },
    [],
  ],
  ['none if the store wrote nothing', async () => {}, []],
])('the trace of a create has the commit that its plant was part of: %s', async (_, write, commits) => {
  const { recorded, spans } = recorder();
  const createPlant: CreatePlant = async () => {
    await turn();
    await write(spans);
    return created;
  };
  spans.startSpan('POST', '/plants', {}, 'the-request');
  expect(await spans.traced({ createPlant }).createPlant(plant)).toBe(created);
  expect(recorded.slice(1)).toEqual(commits);
});

test('a create that fails fails as before, and its commit is in its trace', async () => {
  const { recorded, spans } = recorder();
  const failure = new Error('the store cannot answer');
  const createPlant: CreatePlant = async () => {
    await turn();
    spans.wrote('failed', 3, 0);
    throw failure;
  };
  spans.startSpan('POST', '/plants', {}, 'the-request');
  await expect(spans.traced({ createPlant }).createPlant(plant)).rejects.toBe(failure);
  expect(recorded.slice(1)).toEqual([of(3, true)]);
});
