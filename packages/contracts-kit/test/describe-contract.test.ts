import { describe, expect, test } from 'vitest';
import { describeContract } from '../src/vitest/index.ts';
import { runInVitest } from './run-in-vitest.ts';

describe('describeContract', () => {
  test('reports every verdict', async () => {
    const { tests, notes } = await runInVitest('every-verdict');
    expect(tests.map(({ fullName, status, failureMessages }) => [fullName, status, failureMessages])).toEqual([
      ['Example contract EX-1 holds', 'passed', []],
      ['Example contract EX-2 is not promised', 'skipped', []],
      [
        'Example contract EX-3 is violated',
        'failed',
        [
          startingWith(
            'action:   asked twice\nactual:   one answer\nexpected: two answers\n\nRead on: EX-3 in docs/example.md\n',
          ),
        ],
      ],
      ['Example contract EX-4 lacks something, which is known', 'skipped', []],
      [
        'Example contract EX-5 lacks something',
        'failed',
        [startingWith('not checked: give a second token\n\nRead on: EX-5 in docs/example.md\n')],
      ],
      [
        'Example contract EX-6 takes too long',
        'failed',
        [startingWith('action:   checked EX-6\nactual:   no result after 20 ms')],
      ],
    ]);
    expect(notes).toEqual(['not promised', 'not checked: give a second token']);
  });

  test('skips a clause that another file checks, and fails it if that file runs no contract', async () => {
    const { tests, notes } = await runInVitest('clauses-elsewhere');
    expect(tests.map(({ fullName, status }) => `${fullName}: ${status}`)).toEqual(
      [
        // The ones at the same time are the last.
        ...['EX-1 holds: passed', 'EX-3 holds: passed', 'EX-2 holds: skipped'],
        ...['EX-1 holds: passed', 'EX-2 holds: failed', 'EX-3 holds: passed'],
        ...['EX-1 holds: passed', 'EX-2 holds: failed', 'EX-3 holds: passed'],
      ].map((line) => `Example contract ${line}`),
    );
    expect(tests.flatMap(({ failureMessages }) => failureMessages)).toEqual([
      startingWith('deleted.ts, which is to check this clause, runs no contract'),
      startingWith('vitest.config.ts, which is to check this clause, runs no contract'),
    ]);
    expect(notes).toEqual(['in every-verdict.ts']);
  });

  test('does not accept a clause that there is not as one that need not be checked', () => {
    expect(() => describeContract({ name: 'Example', clauses: [] }, {}, { notChecked: ['EX-9'] })).toThrow(
      new RangeError('notChecked: the Example contract has no EX-9'),
    );
  });
});

function startingWith(text: string): unknown {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return expect.stringMatching(new RegExp(`^AssertionError: ${escaped}`));
}
