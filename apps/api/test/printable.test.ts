import { expect, test } from 'vitest';
import { printable, printableLines } from '../src/printable.ts';

test.each([
  // C0, DEL and C1; separators; marks, embeddings, overrides and isolates of UAX #9; half a pair of surrogates.
  ['\u0000\u001b\u007f\u009b', '\\u0000\\u001b\\u007f\\u009b'],
  ['a\r\n\u2028\u2029', 'a\\u000d\\u000a\\u2028\\u2029'],
  ['\u061c\u200e\u200f\u202a\u202e\u2066\u2069', '\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069'],
  ['\ud800a\udfff', '\\ud800a\\udfff'],
  // What people write.
  ...['Ünïcödé 🌱', '日本語', 'עברית', '👩‍🌾', 'a\u0301', '\\u001b'].map((text) => [text, text]),
])('what a terminal obeys is escaped, and nothing else is changed: %j', (text = '', shown) => {
  expect(printable(text)).toBe(shown);
  expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text);
});

test('line feeds of our own stay', () => {
  expect(printableLines('a\nb\u001b')).toBe('a\nb\\u001b');
});
