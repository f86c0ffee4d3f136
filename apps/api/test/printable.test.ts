import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLines } from '../src/printable.ts';
import { isObeyed } from './obeyed-by-terminals.ts';

/** Texts in which what a terminal obeys, or shows as something else, is frequent. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '\u009b',
      '\u007f',
      '\n',
      '\r',
      '\u2028',
      '\u2029',
      '\u202e',
      '\u2066',
      '\u061c',
      '\ud800',
    ),
    fc.nat({ max: 0x9f }).map((code) => String.fromCharCode(code)),
    fc.nat({ max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
  ),
});

test('what a terminal obeys is escaped, and nothing else is changed', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const shown = printable(text);
      expect([...shown].filter(isObeyed)).toEqual([]);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown).toBe(Array.from(text, (each) => (isHarmless(each) ? each : escapeOf(each))).join(''));
    }),
    { numRuns: 2_000 },
  );
});

const isHarmless = (character: string) => character.isWellFormed() && !isObeyed(character);
const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

test('JSON stays the same JSON', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(JSON.parse(printable(JSON.stringify({ text })))).toEqual({ text });
    }),
    { numRuns: 1_000 },
  );
});

test('what people write is shown as they wrote it', () => {
  for (const text of ['Ünïcödé 🌱', '日本語', 'עברית', '👩‍🌾', 'a\u0301', '\\u001b'])
    expect(printable(text)).toBe(text);
  expect(printableLines('a\nb\u001b')).toBe('a\nb\\u001b');
});
