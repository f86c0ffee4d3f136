import { expect, test } from 'vitest';
import { runContract, show, type Tools, within } from '../src/index.ts';

const never = new Promise<never>(() => {});

test('runContract fails a clause that takes longer than three minutes', async () => {
  const hanging = { name: 'Hangs', clauses: [{ id: 'EX-6', shows: 'P4', title: 'hangs', check: () => never }] };
  const atOnce: Tools = { sleep: async () => {}, nextTurn: async () => {} };
  const message =
    'action:   checked EX-6\nactual:   no result after 180000 ms\nexpected: a result, or an error, within 180000 ms';
  expect((await runContract(hanging, {}, atOnce))[0]).toHaveProperty('message', message);
});

test('within returns a result in time, even if an adapter in JavaScript returns no promise', async () => {
  const noPromise = 'in time' as unknown as Promise<string>;
  expect(await within(1, { sleep: () => never, nextTurn: () => never }, 'waited', noPromise)).toBe('in time');
});

test.each([
  [{ id: 9007199254740993n, name: 'a"b' }, '{id: 9007199254740993, name: "a\\"b"}'],
  [[1n, undefined, null, true], '[1, undefined, null, true]'],
  ['x'.repeat(200), `"${'x'.repeat(100)}"… (200 code units)`],
  ['\ufeffa b\u200b', '"\\u{feff}a b\\u{200b}"'],
  [new Error('x'.repeat(3_000)), `Error: ${'x'.repeat(2_000)}… (3000 code units)`],
  [new Error('no', { cause: new RangeError('why') }), 'Error: no (cause: RangeError: why)'],
  [new AggregateError([new Error('a'), new Error('b')], ''), 'AggregateError (cause: [Error: a, Error: b])'],
])('show writes %o for a person', (value, text) => expect(show(value)).toBe(text));
