import { expect, test } from 'vitest';
import { traceContextOf } from '../../src/exchange/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const ids = `${traceId}-${spanId}`;

test.each([
  [`00-${ids}-01`, 1],
  [`00-${ids}-ff`, 255],
  // A later version may have more after the flags.
  [`cc-${ids}-00`, 0],
  [`cc-${ids}-01-what-the-future-will-be`, 1],
])('%s is read, and the tracestate is passed on unchanged', (traceparent, flags) => {
  expect(traceContextOf({ traceparent })).toEqual({ traceId, spanId, flags });
  expect(traceContextOf({ traceparent, tracestate: 'a=1,b=2' })).toEqual({ traceId, spanId, flags, state: 'a=1,b=2' });
});

test.each([
  undefined,
  traceId,
  `00-${ids}`,
  `00-${ids}-1`,
  `00-${ids}-01-more`,
  `cc-${ids}-01.more`,
  `ff-${ids}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${ids.toUpperCase()}-01`,
  `00-${ids.slice(1)}-01`,
  `00-${ids}a-01`,
  `0-${ids}-01`,
  ` 00-${ids}-01`,
  // Two headers, as Node joins them.
  `00-${ids}-01, 00-${ids}-01`,
])('%s is ignored', (traceparent) => {
  expect(traceContextOf({ ...(traceparent === undefined ? {} : { traceparent }), tracestate: 'a=1' })).toBeUndefined();
});
