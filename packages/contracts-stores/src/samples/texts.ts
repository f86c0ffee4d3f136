/** Texts that stores, drivers and well-meaning code have been seen to change. */
export const hardTexts: readonly string[] = [
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
  '__proto__',
  'constructor',
  'toString',
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
  // Cannot be compressed: an index on a text rejects long ones unless they shrink (PostgreSQL: 2,704 bytes).
  noise(20_000),
];

/** Pairs of texts that a collation may consider equal. */
export const lookalikes: readonly (readonly [string, string])[] = [
  ['\u00e9', 'e\u0301'],
  ['\u00e9', 'e'],
  ['\u212b', '\u00c5'],
  ['\uac00', '\u1100\u1161'],
  ['ﬁ', 'fi'],
  ['Fern', 'fern'],
  ['Fern', '\uff26\uff45\uff52\uff4e'],
  ['ß', 'SS'],
  ['İ', 'i\u0307'],
  ['か', 'カ'],
  ['Fern', 'Fern '],
  ['Fern', ' Fern'],
  ['a b', 'a\u00a0b'],
  ['a\nb', 'a\r\nb'],
  ['a\u200bb', 'ab'],
  ['a-b', 'ab'],
  ['\ufeffa', 'a'],
  ['a', '\u0430'],
  ['0', '00'],
];

/** Letters that look random and are the same every time: a linear congruential generator (Numerical Recipes). */
export function noise(length: number): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return letters[state >>> 26];
  }).join('');
}
