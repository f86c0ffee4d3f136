import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';

const ids = Array.from({ length: 66 }, (_, at) => `EX-${at}`);
const mutant = { does: 'forgets', breaks: 'EX-7', alsoBreaks: { clauses: ['EX-8'], because: 'it is about the same' } };
const selected = (position: number, day: number, everyClause = false) =>
  ids.filter(clausesFor(mutant, position, { everyClause, day }));

test('the exhaustive run selects every clause', () => {
  expect(selected(3, 20_000, true)).toEqual(ids);
});

test('any other run selects the clauses that the mutant names, and a tenth of the others', () => {
  expect(selected(3, 20_000)).toEqual(expect.arrayContaining(['EX-7', 'EX-8']));
  expect(selected(3, 20_000).length).toBeLessThanOrEqual(2 + 7);
});

test('in ten days a mutant meets every clause', () => {
  const days = Array.from({ length: 10 }, (_, day) => selected(3, day));
  expect(new Set(days.flat())).toEqual(new Set(ids));
});

test('two mutants in a row have different samples', () => {
  expect(selected(3, 20_000)).not.toEqual(selected(4, 20_000));
});
