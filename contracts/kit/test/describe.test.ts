import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeContract } from '../src/vitest/index.ts';

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

/** The lines of vitest on each test in a file of `programs`. */
function runProgram(name: string): readonly string[] {
  const args = [vitest, 'run', name, '--config=test/programs/vitest.config.ts', '--reporter=verbose'];
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
    env,
  });
  const lines = stdout.slice(0, stdout.indexOf(' Test Files ')).split('\n').slice(3);
  return lines.map((line) => line.replace(/test\/programs\/.*? contract > |(?<= )\d+ms/g, '').trim()).filter(Boolean);
}

test('describeContract reports every verdict, and begins each title with what the clause shows', () => {
  expect(runProgram('every-verdict')).toEqual([
    '✓ EX-1 P3/F6 P4 holds',
    '↓ EX-2 P3/F6 P4 is not promised  [not promised]',
    '× EX-3 P3/F6 P4 is violated',
    ...['→ action:   asked twice', 'actual:   one answer', 'expected: two answers', 'Read on: EX-3 in docs/example.md'],
    '↓ EX-4 P3/F6 P4 lacks something, which is known  [not checked: give a second token]',
    '× EX-5 P3/F6 P4 lacks something',
    ...['→ not checked: give a second token', 'Read on: EX-5 in docs/example.md'],
    '↓ EX-6 P3/F6 P4 is checked in another file  [in every-verdict.ts]',
    '× EX-8 P3/F6 P4 was not checked',
    '→ it passes: remove it from notChecked',
    '× EX-6 P3/F6 P4 is checked in another file',
    '→ blind-contract.ts, which is to check this clause, runs no contract',
  ]);
});

test('describeContract rejects an unknown clause', () => {
  const contract = { name: 'Example', clauses: [] };
  expect(() => describeContract(contract, {}, { notChecked: ['EX-9'] })).toThrow('there is no clause EX-9');
});

test('describeMutants fails if a clause checks nothing, has no mutant, or does not say what it shows', () => {
  expect(runProgram('blind-contract').filter((line) => /^[✓×]/.test(line))).toEqual([
    '✓ passes one that makes no mistake',
    '× BL-1 catches one that makes a mistake',
    '✓ BL-2 catches one that makes a mistake',
    '× BL-4 catches one that makes a mistake',
    '× BL-5 catches one that makes a mistake',
    '× has every clause once, with what it shows and a mutant',
    '✓ BL-2 catches one that makes a mistake',
    '× has every clause once, with what it shows and a mutant',
  ]);
});
