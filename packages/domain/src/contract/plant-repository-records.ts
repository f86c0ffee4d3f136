import { INT64_MAX, INT64_MIN, type NewPlant } from '../plant.ts';
import type { Clause } from './contract.ts';
import { addFresh, expectStored, inOpenStore } from './expectations.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** What is stored: PR-1 to PR-3. */
export const recordClauses: readonly Clause<StoreUnderTest>[] = [
  {
    id: 'PR-1',
    title: 'an id is kept exactly, over the whole int64 range',
    check: (subject) =>
      keepsAll(
        subject,
        ids.map((id) => ({ id, name: `plant ${id}` })),
      ),
  },
  {
    id: 'PR-2',
    title: 'a name and a tag are kept exactly',
    check: (subject) =>
      keepsAll(
        subject,
        texts
          .flatMap((text, at) => [
            { id: BigInt(2 * at), name: text },
            { id: BigInt(2 * at + 1), name: 'n', tag: text },
          ])
          .filter((plant) => plant.tag !== ''),
      ),
  },
  {
    id: 'PR-3',
    title: 'an absent tag and an empty tag stay different',
    check: (subject) =>
      keepsAll(subject, [
        { id: 1n, name: 'none' },
        { id: 2n, name: 'empty', tag: '' },
      ]),
  },
];

/** Where a JavaScript number, an int32 or a sign goes wrong, each with its neighbours. */
const ids: readonly bigint[] = [
  ...new Set(
    [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 10n ** 15n, 10n ** 18n]
      .flatMap((edge) => [edge, -edge])
      .flatMap((edge) => [edge - 1n, edge, edge + 1n, edge + 2n])
      .concat(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX),
  ),
];

/** What stores, drivers and well-meaning code have been seen to change. */
const texts: readonly string[] = [
  '',
  ' ',
  ' leading and trailing ',
  '\t\n\r\v\f',
  '\u00a0\u2003\u3000',
  '\ufeffbyte order mark first',
  '\u0001\u001f\u007f\u0085',
  "O'Hara",
  '"quoted"',
  'back\\slash',
  '\\N',
  '\\x41',
  '%s $1 :name @p ? ??',
  "'; DROP TABLE plants; --",
  '{a,b}',
  '{"a":1}',
  'NULL',
  'null',
  'true',
  '0',
  '1e3',
  '-0',
  '007',
  'Ünïcödé',
  'e\u0301 is not \u00e9',
  '\u212b is not \u00c5',
  'ﬁ',
  'ß ẞ SS',
  'İıIi',
  'Ωω',
  '日本語',
  'العربية',
  'हिन्दी',
  '\u202eright to left',
  '👩‍🌾🌱',
  '\u{10ffff}',
  '\ufffd',
  '\uffff',
  'a\u200bb',
  'x'.repeat(100_000),
  '🌱'.repeat(20_000),
];

async function keepsAll(subject: StoreUnderTest, plants: readonly NewPlant[]): Promise<void> {
  await inOpenStore(subject, async (store) => {
    for (const plant of plants) await addFresh(store, plant);
    for (const plant of plants) await expectStored(store, plant, `added the plant of id ${plant.id}`);
  });
}
