import { expect, test } from 'vitest';
import { checkHistory, type RecordedAnswer, type RecordedCall } from '../src/index.ts';

type Call = RecordedCall<string, string>;

/** Records a call of the key k. */
const call = (value: string, called: number, answered: number, answer: RecordedAnswer<string>): Call => ({
  key: 'k',
  value,
  called,
  answered,
  answer,
});
const exists = (value: string) => ({ exists: value });
const stored = (value: string) => new Map([['k', value]]);
const nothing = new Map<string, string>();

test.each<[string, readonly Call[], ReadonlyMap<string, string>]>([
  ['nothing at all', [], nothing],
  ['the first writer wins', [call('a', 0, 1, 'added'), call('b', 2, 3, exists('a'))], stored('a')],
  ['exists while the winner is in flight', [call('a', 0, 9, 'added'), call('b', 1, 2, exists('a'))], stored('a')],
  ['an unknown outcome that was written', [call('a', 0, 9, 'unknown'), call('b', 1, 2, exists('a'))], stored('a')],
  ['no response', [call('a', 0, Infinity, 'unknown')], stored('a')],
  ['an unknown outcome that was not written', [call('a', 0, 9, 'unknown'), call('b', 1, 2, 'added')], stored('b')],
  ['taken by another', [call('a', 0, 1, 'added'), call('b', 0, 1, 'taken')], stored('a')],
  ['refused and not stored', [call('a', 0, 1, 'refused')], nothing],
  ['its own value, written before a retry', [{ ...call('a', 0, 1, exists('a')), isRetried: true }], stored('a')],
])('a valid history: %s', (_, history, rows) => {
  expect(checkHistory(history, rows)).toEqual([]);
});

test.each<[string, readonly Call[], ReadonlyMap<string, string>]>([
  ['k: no call added it', [], stored('a')],
  ['k: added 2 times', [call('a', 0, 1, 'added'), call('a', 2, 3, 'added')], stored('a')],
  ['k: acknowledged, and missing', [call('a', 0, 1, 'added')], nothing],
  ['k: acknowledged, and missing', [call('a', 0, 1, 'unknown'), call('b', 0, 1, exists('a'))], nothing],
  ['k: added, and another value is stored', [call('a', 0, 1, 'added'), call('b', 0, 9, 'unknown')], stored('b')],
  ['k: exists with a value that is not stored', [call('a', 0, 1, 'added'), call('b', 2, 3, exists('b'))], stored('a')],
  ['k: acknowledged, and missing', [call('a', 0, 1, 'taken')], nothing],
  ['k: taken by its own value', [call('a', 0, 1, 'added'), call('a', 0, 1, 'taken')], stored('a')],
  ['k: exists before it was added', [call('b', 0, 1, 'taken'), call('a', 2, 3, 'added')], stored('a')],
  ['k: no call added the stored value', [call('a', 0, 1, 'refused')], stored('a')],
  ['k: no call added the stored value', [call('a', 0, 1, exists('a'))], stored('a')],
  ['k: exists before it was added', [call('b', 0, 1, exists('a')), call('a', 2, 3, 'added')], stored('a')],
  ['k: exists before it was added', [call('b', 0, 1, exists('a')), call('a', 2, 9, 'unknown')], stored('a')],
])('an invalid history: %s', (fault, history, rows) => {
  expect(checkHistory(history, rows)).toEqual([fault]);
});

test('values may be objects, and keys are compared as those of a Map', () => {
  const add = (key: bigint, name: string) => ({
    key,
    value: { name },
    called: 0,
    answered: 1,
    answer: 'added' as const,
  });
  const rows = new Map([1n, 2n].map((key) => [key, { name: `plant ${key}` }]));
  const history = [add(1n, 'plant 1'), add(2n, 'plant 2')];
  expect(checkHistory(history, rows, (a, b) => a.name === b.name)).toEqual([]);
  expect(checkHistory(history, rows)).toHaveLength(2);
});
