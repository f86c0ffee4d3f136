import { expect, test } from 'vitest';
import { documents, read } from './repository.ts';
import { type HardSentences, hardSentences, lowered } from './sentences.ts';

const recorded = JSON.parse(read('tools/documents/sentences.json'));

// Results of measurements are records, not documents.
const gated = documents().filter((path) => !path.startsWith('bench/results/'));

test.each(gated)('%s has no more hard sentences than recorded; docs:update lowers the record', (path) => {
  const { long, joined } = hardSentences(read(path));
  const most: HardSentences = recorded[path] ?? { long: 0, joined: 0 };
  expect({ long: Math.max(long, most.long), joined: Math.max(joined, most.joined) }).toEqual(most);
});

test.each([
  ['The service waits for the store: the store is slow.', 0, 1],
  ['| a | the service has stopped; nothing was lost |', 0, 1],
  ['- **TLS**: the client must check the name.', 0, 0],
  ['It has three parts: a core, an edge, a store.', 0, 0],
  ['`a: b is; d is` and is\n\n```\nit is here: it has\n```\n', 0, 0],
  [`${'word '.repeat(30)}word.`, 1, 0],
  [`${'word '.repeat(20)}end. ${'Word '.repeat(20)}end.`, 0, 0],
])('%j has %d long and %d joined sentences', (text, long, joined) => {
  expect(hardSentences(text)).toEqual({ long, joined });
});

test('the record only falls', () => {
  const counted = { a: { long: 1, joined: 3 }, b: { long: 1, joined: 0 }, c: { long: 0, joined: 0 } };
  expect(lowered({ a: { long: 2, joined: 2 }, c: { long: 1, joined: 0 } }, counted)).toEqual({
    a: { long: 1, joined: 2 },
  });
});
