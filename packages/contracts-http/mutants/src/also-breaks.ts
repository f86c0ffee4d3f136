import type { AlsoBreaks } from './mutant.ts';

/** Clauses that a mistake in every returned plant breaks. */
export const plantResponses: AlsoBreaks = {
  clauses: hc(
    '1 2 3 4 5 6 7 8 9 12 13 14 15 18 19 20 21 22 25 26 28 30 31 32 33 34 35 36 38 39 40 41 43 44 47 52 53 54 55 56 58 59 60 61 64',
  ),
  because: 'they create plants as well',
};

/** Clauses that a mistake in every status 200 breaks. */
export const statusResponses: AlsoBreaks = {
  clauses: [...plantResponses.clauses, ...hc('16 17 23 29 42 45 46 48 49 50 51 57')],
  because: 'they create plants as well, if only to check that a refused one was not stored',
};

/** Clauses that a mistake in a plant without a tag breaks. */
export const untaggedPlantResponses: AlsoBreaks = {
  clauses: plantResponses.clauses.filter((id) => !hc('3 4 15 21').includes(id)),
  because: 'they create plants without a tag as well',
};

/** Clauses that a mistake in every Error record breaks. */
export const errorResponses: AlsoBreaks = {
  clauses: hc(
    '2 3 5 6 7 8 9 10 11 12 13 14 16 19 20 21 22 23 24 25 26 27 29 30 33 34 35 36 37 38 40 43 44 45 48 50 51 54 55 57 58 59 61 62 63 64',
  ),
  because: 'they look at Error records as well',
};

/** Clauses that a mistake in the response to a taken id breaks. */
export const idsTaken: AlsoBreaks = {
  clauses: hc('2 3 6 7 8 9 12 13 14 20 21'),
  because: 'they find out what is stored by trying to create another plant under its id',
};

/** Clauses that a mistake with the same plant, sent again, breaks. */
export const plantsSentAgain: AlsoBreaks = {
  clauses: hc('2 4 6 7 8 9 12 13 15 19 20 21 26 32 47 59'),
  because: 'they find out what is stored by sending the same plant again',
};

/** Clauses that a mistake in the response to an invalid record breaks. */
export const invalidRecords: AlsoBreaks = {
  clauses: hc('5 6 10 11 12 16 24 54 64'),
  because: 'they send records that are not valid as well',
};

/** Clauses that a mistake in the status for a missing token breaks. */
export const missingTokens: AlsoBreaks = {
  clauses: hc('35 37 54 59 63 64'),
  because: 'they have requests without a token as well',
};

/** Clauses that cannot be checked without the description. */
export const descriptions: AlsoBreaks = { clauses: hc('38 40 41 63 64 65 66'), because: 'they read the description' };

/** Clauses about ids, texts and races that cost as much as all the others: megabytes, and hundreds at once. */
export const expensiveClauses: readonly string[] = hc('8 9 12 13 20 21');

/** The clauses with these numbers, which spaces separate. */
export function hc(numbers: string): string[] {
  return numbers.split(' ').map((number) => `HC-${number}`);
}
