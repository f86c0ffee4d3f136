import { expect, test } from 'vitest';
import { runInVitest } from './run-in-vitest.ts';

test('describeMutants fails where a clause checks nothing, has no mutant, or is in no revision', async () => {
  const { tests } = await runInVitest('blind-contract');
  expect(tests.map(({ fullName, status }) => [fullName, status])).toEqual([
    ['the Blind contract passes one that makes no mistake', 'passed'],
    ['the Blind contract BL-1 catches one that makes a mistake that nothing checks', 'failed'],
    ['the Blind contract BL-2 catches one that makes a mistake', 'passed'],
    ['the Blind contract BL-4 catches one that makes a mistake that never ends', 'failed'],
    ['the Blind contract BL-5 catches one that does not promise it', 'failed'],
    ['the Blind contract BL-6 catches one that breaks a clause that is none', 'failed'],
    ['the Blind contract gives each number to one clause', 'passed'],
    ['the Blind contract has every clause in its newest revision', 'failed'],
    ['the Blind contract has a mutant for every clause, and no two alike', 'failed'],
  ]);
});
