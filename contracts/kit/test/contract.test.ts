import { describe, expect, test } from 'vitest';
import { type Contract, ContractViolation, NotChecked, runContract, show, type Tools, within } from '../src/index.ts';

const never = new Promise<never>(() => {});
const notYet: Tools = { sleep: () => never, nextTurn: () => never };

const throwing = (error: Error) => () => Promise.reject(error);
const checks: Readonly<Record<string, () => Promise<void>>> = {
  'EX-1': async () => {},
  'EX-2': async () => {},
  'EX-3': throwing(new ContractViolation('asked', 'nothing', 'an answer')),
  'EX-4': throwing(new TypeError('undefined is not a function')),
  'EX-5': throwing(new NotChecked('give a second token')),
};
const contract: Contract<{ shared: boolean }> = {
  name: 'Example',
  clauses: Object.entries(checks).map(([id, check]) => {
    return { id, title: 'holds', check, appliesTo: ({ shared }) => shared || id !== 'EX-2' };
  }),
};

describe('runContract', () => {
  test('reports on every clause, and counts', async () => {
    const title = 'holds';
    const seen: string[] = [];
    const report = await runContract(contract, { shared: false }, notYet, { onResult: ({ id }) => seen.push(id) });
    expect(report).toEqual({
      contract: 'Example',
      passed: 1,
      notPromised: 1,
      notChecked: 1,
      failed: 2,
      knownFailures: 0,
      newer: [],
      results: [
        { id: 'EX-1', title, verdict: 'passed' },
        { id: 'EX-2', title, verdict: 'not-promised' },
        { id: 'EX-3', title, verdict: 'failed', message: 'action:   asked\nactual:   nothing\nexpected: an answer' },
        { id: 'EX-4', title, verdict: 'failed', message: 'threw TypeError: undefined is not a function' },
        { id: 'EX-5', title, verdict: 'not-checked', message: 'give a second token' },
      ],
    });
    expect(seen).toEqual(['EX-1', 'EX-2', 'EX-3', 'EX-4', 'EX-5']);
  });

  test('fails a clause that takes longer than a minute', async () => {
    const hanging = { name: 'Hangs', clauses: [{ id: 'EX-6', title: 'hangs', check: () => never }] };
    const atOnce: Tools = { sleep: async () => {}, nextTurn: async () => {} };
    const message =
      'action:   checked EX-6\nactual:   no result after 60000 ms\nexpected: a result, or an error, within 60000 ms';
    expect((await runContract(hanging, {}, atOnce)).results[0]).toHaveProperty('message', message);
  });
});

test('within hands on what comes in time, even if an adapter in JavaScript returns no promise', async () => {
  expect(await within(1, notYet, 'waited', 'no promise' as unknown as Promise<string>)).toBe('no promise');
});

describe('show', () => {
  test.each([
    [{ id: 9007199254740993n, name: 'a"b' }, '{id: 9007199254740993, name: "a\\"b"}'],
    [[1n, undefined, null, true], '[1, undefined, null, true]'],
    ['x'.repeat(200), `"${'x'.repeat(100)}"… (200 code units)`],
    ['\ufeffa b\u200b', '"\\u{feff}a b\\u{200b}"'],
    [new RangeError('no'), 'RangeError: no'],
    [new Error('x'.repeat(3_000)), `Error: ${'x'.repeat(2_000)}… (3000 code units)`],
    [new Error('no', { cause: new Error('why') }), 'Error: no (cause: Error: why)'],
    [new AggregateError([new Error('a'), new Error('b')], ''), 'AggregateError (cause: [Error: a, Error: b])'],
  ])('writes %o as a person would', (value, text) => expect(show(value)).toBe(text));
});
