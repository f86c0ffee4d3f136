import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';

const ids = Array.from({ length: 66 }, (_, at) => `EX-${at}`);
const mutant = { does: 'forgets', breaks: 'EX-7', alsoBreaks: { clauses: ['EX-8'], because: 'it is about the same' } };
const selected = (position: number, day: number, everyClause = false) =>
  ids.filter(clausesFor(mutant, position, { everyClause, day }));

test('the exhaustive run selects every clause', () => {
  expect(selected(3, 20_000, true)).toEqual(ids);
});

test('any other run selects the clause that the mutant breaks, and a fortieth of the others', () => {
  expect(selected(3, 20_000)).toContain('EX-7');
  expect(selected(3, 20_000).length).toBeLessThanOrEqual(1 + 2);
});

test('in forty days a mutant meets every clause', () => {
  const days = Array.from({ length: 40 }, (_, day) => selected(3, day));
  expect(new Set(days.flat())).toEqual(new Set(ids));
});

test('two mutants in a row have different samples', () => {
  expect(selected(3, 20_000)).not.toEqual(selected(4, 20_000));
});
