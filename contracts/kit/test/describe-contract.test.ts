import { describe, expect, test } from 'vitest';
import { describeContract } from '../src/vitest/index.ts';
import { runInVitest } from './run-in-vitest.ts';

describe('describeContract', () => {
  test('reports every verdict', async () => {
    const { tests, notes } = await runInVitest('every-verdict');
    expect(tests.map(({ fullName, status, failureMessages }) => [fullName, status, failureMessages])).toEqual([
      ['Example contract, revision 2026-12 EX-1 holds', 'passed', []],
      ['Example contract, revision 2026-12 EX-2 is not promised', 'skipped', []],
      [
        'Example contract, revision 2026-12 EX-3 is violated',
        'failed',
        [
          startingWith(
            'action:   asked twice\nactual:   one answer\nexpected: two answers\n\nRead on: EX-3 in docs/example.md\n',
          ),
        ],
      ],
      ['Example contract, revision 2026-12 EX-4 lacks something, which is known', 'skipped', []],
      [
        'Example contract, revision 2026-12 EX-5 lacks something',
        'failed',
        [startingWith('not checked: give a second token\n\nRead on: EX-5 in docs/example.md\n')],
      ],
      [
        'Example contract, revision 2026-12 EX-6 takes too long',
        'failed',
        [startingWith('action:   checked EX-6\nactual:   no result after 20 ms')],
      ],
      ['Example contract, revision 2026-12 EX-8 is known to fail', 'skipped', []],
      [
        'Example contract, revision 2026-12 EX-9 was known to fail',
        'failed',
        [startingWith('it is kept: remove it from the known failures («waited for a release»)')],
      ],
      ['Example contract, revision 2026-12 EX-10 is of a newer revision (of a newer revision)', 'todo', []],
    ]);
    expect(notes).toEqual(['not promised', 'not checked: give a second token', 'known failure: waits for a release']);
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

  test.each([
    [{ notChecked: ['EX-9'] }, 'notChecked: the Example contract has no EX-9'],
    [{ knownFailures: { 'EX-9': 'a reason' } }, 'knownFailures: the Example contract has no EX-9'],
    [{ revision: '2027-01' }, 'the Example contract has no revision 2027-01; it has 2026-12'],
  ])('does not accept a clause or a revision that there is not: %j', (options, message) => {
    const contract = { name: 'Example', clauses: [], revisions: [{ name: '2026-12', clauses: [] }] };
    expect(() => describeContract(contract, {}, options)).toThrow(new RangeError(message));
  });
});

function startingWith(text: string): unknown {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return expect.stringMatching(new RegExp(`^AssertionError: ${escaped}`));
}
