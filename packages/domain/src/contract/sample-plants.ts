import { INT64_MAX, INT64_MIN, type NewPlant } from '../plant.ts';

/** Plants with nothing special about them: every store that works at all keeps them. */
export function plainPlants(count: number, first = 1): NewPlant[] {
  return Array.from({ length: count }, (_, at) => plainPlant(first + at));
}

/** One of them. Ids are apart from each other, so that no two are neighbours. */
export function plainPlant(at: number): NewPlant {
  return { id: BigInt(at) * 7_919n, name: `plant ${at}`, tag: `tag ${at}` };
}

/** One plant for every place where a JavaScript number, an int32 or a sign goes wrong, each with its neighbours. */
export function plantsWithHardIds(): NewPlant[] {
  const edges = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 10n ** 15n, 10n ** 18n];
  const ids = edges
    .flatMap((edge) => [edge, -edge])
    .flatMap((edge) => [edge - 1n, edge, edge + 1n, edge + 2n])
    .concat(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX);
  return [...new Set(ids)].map((id) => ({ id, name: `plant ${id}`, tag: 'tag' }));
}

/** Plants with every text below, once as the name and once as the tag. The empty tag is for PR-3. */
export function plantsWithHardTexts(): NewPlant[] {
  const asName = hardTexts.map((text, at): NewPlant => ({ id: BigInt(1_001 + at), name: text, tag: 'tag' }));
  const asTag = hardTexts.map((text, at): NewPlant => ({ id: BigInt(2_001 + at), name: `name ${at}`, tag: text }));
  return [...asName, ...asTag.filter(({ tag }) => tag !== '')];
}

/**
 * Plants with a text as long as a request may bring: its body ends at 1 MiB by default, and these, in UTF-8, end a little
 * below. One in which each character is a byte, one in which each but the first takes three.
 */
export function plantsWithHugeTexts(): NewPlant[] {
  const latin = noise(20_000).repeat(50);
  const japanese = `x${'日本語'.repeat(115_000)}`;
  return [
    { id: 3_001n, name: latin, tag: 'tag' },
    { id: 3_002n, name: japanese, tag: 'tag' },
    { id: 3_003n, name: 'a name', tag: japanese },
  ];
}

/** What stores, drivers and well-meaning code have been seen to change. */
const hardTexts: readonly string[] = [
  '',
  ' ',
  ' leading and trailing ',
  '\t\n\r\v\f',
  'new line last\n',
  'carriage\rreturn, line\r\nbreaks',
  '\u00a0\u2003\u3000',
  '\ufeffbyte order mark first',
  '\u0001\u001f\u007f\u0085',
  "O'Hara",
  '"quoted"',
  'back\\slash',
  '\\',
  '\\N',
  '\\x41 \\u0041 \\101',
  '%s $1 :name @p ? ??',
  "$& $$ $' $`",
  '%41 a+b 100%',
  '<b>&amp;</b>',
  "'; DROP TABLE plants; --",
  '{a,b}',
  '{"a":1}',
  '[1]',
  'NULL',
  'null',
  'undefined',
  'true',
  '0',
  '1e3',
  '-0',
  '007',
  '2026-11-20T10:00:00Z',
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
  '\ue000',
  'a\u200bb',
  '\u2028\u2029',
  'x'.repeat(100_000),
  // Two, three and four bytes a character: wherever a chunk of UTF-8 ends, it ends within a character of one of them.
  `x${'é'.repeat(50_000)}`,
  `x${'日'.repeat(50_000)}`,
  `x${'🌱'.repeat(20_000)}`,
  // Cannot be compressed: an index on a text refuses long ones, unless they shrink (PostgreSQL: 2,704 bytes).
  noise(20_000),
];

/** Letters in no order, the same ones every time: a linear congruential generator (Numerical Recipes). */
function noise(length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[state >>> 26];
  }).join('');
}
