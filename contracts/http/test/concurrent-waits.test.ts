import { type Clause, ContractViolation, runContract } from '@plant-store/contracts-kit';
import { expect, test } from 'vitest';
import { withConcurrentWaits } from '../src/index.ts';

const tools = { sleep: async () => {}, nextTurn: async () => {} };

test('the clauses that wait are started with the first one, once, and reported in their turn', async () => {
  const log: string[] = [];
  const clauses = [clause('HC-1', log), clause('HC-60', log), clause('HC-61', log, 'failed'), clause('HC-62', log)];
  const { results } = await runContract(withConcurrentWaits({ name: 'HTTP', clauses }), undefined, tools);
  expect(log).toEqual(['HC-60', 'HC-61', 'HC-1', 'HC-62']);
  expect(results.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['HC-1', 'passed'],
    ['HC-60', 'passed'],
    ['HC-61', 'failed'],
    ['HC-62', 'passed'],
  ]);
});

test('a clause that waits is checked on its own where it is the only one', async () => {
  const log: string[] = [];
  await runContract(withConcurrentWaits({ name: 'HTTP', clauses: [clause('HC-61', log)] }), undefined, tools);
  expect(log).toEqual(['HC-61']);
});

function clause(id: string, log: string[], verdict = 'passed'): Clause<undefined> {
  return {
    id,
    title: id,
    async check() {
      log.push(id);
      if (verdict === 'failed') throw new ContractViolation('waited', 'nothing', 'an answer');
    },
  };
}
