import { expect, test } from 'vitest';
import { licencesPage, refusedLicences } from '../src/licences/check-licences.ts';

test('a licence that is not allowed is refused, and so is one that nobody knows', () => {
  const licences = { MIT: [{ name: 'a' }], 'GPL-3.0-only': [{ name: 'b' }], Unknown: [{ name: 'c' }] };
  expect(refusedLicences(licences)).toEqual(['b: GPL-3.0-only', 'c: Unknown']);
});

test('a choice of licences is allowed where one of them is', () => {
  expect(
    refusedLicences({ '(MIT OR GPL-3.0-only)': [{ name: 'a' }], 'MIT AND GPL-3.0-only': [{ name: 'b' }] }),
  ).toEqual(['b: MIT AND GPL-3.0-only']);
});

test.each([
  '(MIT OR ISC) AND (GPL-3.0-only)',
  '(A OR ISC) AND (GPL-3.0-only OR MIT OR B)',
  '((MIT OR ISC) AND GPL-3.0-only)',
])('what stands in brackets inside is for a person to read: %s', (licence) => {
  expect(refusedLicences({ [licence]: [{ name: 'a' }] })).toEqual([`a: ${licence}`]);
});

test('the page lists every package once, sorted', () => {
  const page = licencesPage({ MIT: [{ name: 'b' }, { name: 'a' }, { name: 'a' }], ISC: [{ name: 'c' }] });
  expect(page).toMatch(/\n\| ISC \| c \|\n\| MIT \| a, b \|\n$/);
});
