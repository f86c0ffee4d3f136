import { expect, test } from 'vitest';
import { traceContextOf } from '../../src/exchange/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test.each([
  [`00-${traceId}-${spanId}-01`, 1],
  [`00-${traceId}-${spanId}-00`, 0],
  [`00-${traceId}-${spanId}-ff`, 255],
  // A later version may have more after the flags.
  [`cc-${traceId}-${spanId}-01`, 1],
  [`cc-${traceId}-${spanId}-01-what-the-future-will-be`, 1],
])('%s is read', (traceparent, flags) => {
  expect(traceContextOf({ traceparent })).toEqual({ traceId, spanId, flags });
});

test('the tracestate is passed on unchanged', () => {
  const traceparent = `00-${traceId}-${spanId}-01`;
  expect(traceContextOf({ traceparent, tracestate: 'a=1,b=2' })).toEqual({
    traceId,
    spanId,
    flags: 1,
    state: 'a=1,b=2',
  });
  expect(traceContextOf({ tracestate: 'a=1' })).toBeUndefined();
});

test.each([
  '',
  traceId,
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01-`,
  `cc-${traceId}-${spanId}-01.more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId.slice(1)}-${spanId}-01`,
  `00-${traceId}-${spanId}a-01`,
  `0-${traceId}-${spanId}-01`,
  ` 00-${traceId}-${spanId}-01`,
  // Two headers, as Node joins them.
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])('%s is ignored', (traceparent) => {
  expect(traceContextOf({ traceparent })).toBeUndefined();
});
