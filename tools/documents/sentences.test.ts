import { expect, test } from 'vitest';
import { documents, read } from './repository.ts';
import { hardSentences } from './sentences.ts';

// Results of measurements are records, not documents.
const gated = documents().filter((path) => !path.startsWith('bench/results/'));

test.each(gated)('%s has no sentence that has to be read twice', (path) => {
  expect(hardSentences(read(path))).toEqual([]);
});

test.each([
  ['The service waits for the store: the store is slow.', 1],
  ['| a | the service has stopped; nothing was lost |', 1],
  ['- **TLS**: the client must check the name.', 0],
  ['It has three parts: a core, an edge, a store.', 0],
  ['`a: b is; d is` and is\n\n```\nit is here: it has\n```\n', 0],
  [`${'word '.repeat(30)}word.`, 1],
  [`${'word '.repeat(20)}end. ${'Word '.repeat(20)}end.`, 0],
])('%j has %d such sentences', (text, count) => {
  expect(hardSentences(text)).toHaveLength(count);
});
