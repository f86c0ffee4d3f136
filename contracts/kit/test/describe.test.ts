import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeContract } from '../src/vitest/index.ts';

const vitest = fileURLToPath(new URL('./vitest.mjs', import.meta.resolve('vitest/package.json')));

/** The lines of vitest on each test in a file of `programs`, which runs separately because some of its tests must fail. */
function linesOf(name: string): readonly string[] {
  const { stdout } = spawnSync(
    process.execPath,
    [vitest, 'run', name, '--config=test/programs/vitest.config.ts', '--reporter=verbose'],
    {
      cwd: join(import.meta.dirname, '..'),
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    },
  );
  const lines = stdout.slice(0, stdout.indexOf(' Test Files ')).split('\n').slice(3);
  return lines
    .map((line) => line.replace(/test\/programs\/.*? > .*? contract|(?<= )\d+ms/g, '').trim())
    .filter(Boolean);
}

test('describeContract reports every verdict', () => {
  expect(linesOf('every-verdict')).toEqual([
    '↓ , revision 2026-12 > EX-2 is not promised  [not promised]',
    '× , revision 2026-12 > EX-3 is violated',
    ...['→ action:   asked twice', 'actual:   one answer', 'expected: two answers', 'Read on: EX-3 in docs/example.md'],
    '↓ , revision 2026-12 > EX-4 lacks something, which is known  [not checked: give a second token]',
    '× , revision 2026-12 > EX-5 lacks something',
    ...['→ not checked: give a second token', 'Read on: EX-5 in docs/example.md'],
    '↓ , revision 2026-12 > EX-6 is checked in another file  [in every-verdict.ts]',
    '↓ , revision 2026-12 > EX-8 is known to fail  [known failure: waits for a release]',
    '× , revision 2026-12 > EX-9 was known to fail',
    '→ it passes: remove it from the known failures («waited for a release»)',
    'Read on: EX-9 in docs/example.md',
    '× , revision 2026-12 > EX-10 was not checked',
    '→ it passes: remove it from notChecked',
    // Concurrent clauses are the last.
    '✓ , revision 2026-12 > EX-1 holds',
    '□ , revision 2026-12 > EX-11 is of a newer revision (of a newer revision)',
    ...['deleted.ts', 'blind-contract.ts'].flatMap((file) => [
      '× , revision 2026-12 > EX-6 is checked in another file',
      `→ ${file}, which is to check this clause, runs no contract`,
      '□ , revision 2026-12 > EX-11 is of a newer revision (of a newer revision)',
    ]),
  ]);
});

test.each([
  [{ notChecked: ['EX-9'] }, 'notChecked: the Example contract has no clause "EX-9"'],
  [{ knownFailures: { 'EX-9': 'a reason' } }, 'knownFailures: the Example contract has no clause "EX-9"'],
  [{ notChecked: ['EX-1'], knownFailures: { 'EX-1': '' } }, 'EX-1 is in notChecked and in knownFailures: remove it'],
  [{ revision: '2027-01' }, 'the Example contract has no revision 2027-01; it has 2026-12'],
])('describeContract rejects an unknown clause or revision, and a clause in two lists: %j', (options, message) => {
  const clauses = [{ id: 'EX-1', title: 'holds', since: '2026-12', check: async () => {} }];
  const contract = { name: 'Example', clauses };
  expect(() => describeContract(contract, {}, options)).toThrow(message);
});

test('describeMutants fails if a clause checks nothing, has no mutant, or names no revision', () => {
  expect(linesOf('blind-contract').filter((line) => /^[✓×]/.test(line))).toEqual(
    [
      '✓  > passes one that makes no mistake',
      '× BL-1 catches one that makes a mistake that nothing checks',
      '✓ BL-2 catches one that makes a mistake',
      '× BL-4 catches one that makes a mistake that never ends',
      '× BL-5 catches one that does not promise it',
      '× has every clause once, with the month of its revision and a mutant',
    ].map((line) => line.replace(/^(.) (?! )/, '$1  > ')),
  );
});
