import { describe, expect, test } from 'vitest';
import {
  type Contract,
  ContractViolation,
  NotChecked,
  realTime,
  runContract,
  show,
  type Tools,
  within,
} from '../src/index.ts';

const never = new Promise<never>(() => {});
const atOnce: Tools = { sleep: async () => {}, nextTurn: async () => {} };
const notYet: Tools = { sleep: () => never, nextTurn: () => never };

const contract: Contract<{ shared: boolean }> = {
  name: 'Example',
  clauses: [
    { id: 'EX-1', title: 'holds', check: async () => {} },
    { id: 'EX-2', title: 'is not promised', appliesTo: (subject) => subject.shared, check: async () => {} },
    {
      id: 'EX-3',
      title: 'is violated',
      check: async () => {
        throw new ContractViolation('asked', 'nothing', 'an answer');
      },
    },
    {
      id: 'EX-4',
      title: 'fails in another way',
      check: async () => {
        throw new TypeError('undefined is not a function');
      },
    },
    {
      id: 'EX-5',
      title: 'takes what is not there',
      check: async () => {
        throw new NotChecked('give a second token');
      },
    },
  ],
};

describe('runContract', () => {
  test('reports on every clause, and counts', async () => {
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
        { id: 'EX-1', title: 'holds', verdict: 'passed' },
        { id: 'EX-2', title: 'is not promised', verdict: 'not-promised' },
        {
          id: 'EX-3',
          title: 'is violated',
          verdict: 'failed',
          message: 'action:   asked\nactual:   nothing\nexpected: an answer',
        },
        {
          id: 'EX-4',
          title: 'fails in another way',
          verdict: 'failed',
          message: 'threw TypeError: undefined is not a function',
        },
        { id: 'EX-5', title: 'takes what is not there', verdict: 'not-checked', message: 'give a second token' },
      ],
    });
    expect(seen).toEqual(['EX-1', 'EX-2', 'EX-3', 'EX-4', 'EX-5']);
  });

  test('checks a clause that is promised', async () => {
    const report = await runContract(contract, { shared: true }, notYet);
    expect(report.results[1]).toHaveProperty('verdict', 'passed');
  });

  test('reports a clause that hangs as failed', async () => {
    const hanging = { name: 'Hangs', clauses: [{ id: 'EX-5', title: 'hangs', check: () => never }] };
    const report = await runContract(hanging, {}, atOnce, { clauseTimeoutMs: 3 });
    expect(report.results[0]).toHaveProperty('message', expect.stringMatching(/no result after 3 ms$/m));
  });

  test('says of one that runs out of time for how long the event loop was held, if that was long', async () => {
    const check = async () => {
      for (let times = 0; times < 2; times += 1) {
        await realTime.sleep(50);
        const began = performance.now();
        while (performance.now() - began < 200);
      }
      await never;
    };
    const holding = { name: 'Holds', clauses: [{ id: 'EX-6', title: 'holds the event loop', check }] };
    const report = await runContract(holding, {}, realTime, { clauseTimeoutMs: 700 });
    const message = expect.stringMatching(
      /^actual: {3}no result after 700 ms; the event loop was held for up to [2-9]\d\d ms$/m,
    );
    expect(report.results[0]).toHaveProperty('message', message);
  });
});

describe('within', () => {
  test('hands on what comes in time, result or error', async () => {
    expect(await within(1, notYet, 'waited', Promise.resolve('in time'))).toBe('in time');
    expect(await within(1, notYet, 'waited', 'no promise' as unknown as Promise<string>)).toBe('no promise');
    await expect(within(1, notYet, 'waited', Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  });
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
