import { clausesFor } from '@plant-store/contracts-kit/vitest';
import { expect, test } from 'vitest';

const ids = Array.from({ length: 66 }, (_, at) => `EX-${at}`);
const clauses = ids.map((id) => ({ id }));
const mutant = { does: 'forgets', breaks: 'EX-7', alsoBreaks: { clauses: ['EX-8'], because: 'it is about the same' } };
const selected = (position: number, day: number, everyClause = false) =>
  clausesFor(clauses, mutant, position, { everyClause, day }).map(({ id }) => id);

test('the exhaustive run selects every clause', () => {
  expect(selected(3, 20_000, true)).toEqual(ids);
});

test('any other run selects the clause that the mutant breaks, and one other', () => {
  expect(selected(3, 20_000)).toEqual(['EX-7', 'EX-49']);
});

test('in as many days as there are clauses a mutant meets every one', () => {
  const days = Array.from({ length: ids.length - 1 }, (_, day) => selected(3, day));
  expect(new Set(days.flat())).toEqual(new Set(ids));
});

test('two mutants in a row have different samples', () => {
  expect(selected(3, 20_000)).not.toEqual(selected(4, 20_000));
});
