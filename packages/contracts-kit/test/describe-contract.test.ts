import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeContract } from '../src/vitest.ts';

interface JsonReport {
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

interface Assertion {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

/** Runs the fixture in a vitest of its own: some of its tests have to fail. */
async function runFixture(): Promise<{ tests: readonly Assertion[]; notes: readonly string[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'contracts-kit-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const report = join(directory, 'report.json');
  const args = [
    'run',
    '--config=test/fixtures/vitest.config.ts',
    '--reporter=json',
    '--reporter=verbose',
    `--outputFile=${report}`,
  ];
  const run = promisify(execFile)(process.execPath, [vitest, ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, NO_COLOR: '1' },
  });
  const { stdout } = await run.then(
    () => expect.unreachable(),
    (error: { readonly stdout: string }) => error,
  );
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as JsonReport;
  return {
    tests: testResults.flatMap(({ assertionResults }) => assertionResults),
    notes: stdout.match(/(?<=↓.*\[).+(?=\]$)/gm) ?? [],
  };
}

describe('describeContract', () => {
  test('reports every verdict', async () => {
    const { tests, notes } = await runFixture();
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
        [startingWith('action:   checked EX-6\nactual:   no answer after 20 ms')],
      ],
    ]);
    expect(notes).toEqual(['not promised', 'not checked: give a second token']);
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
