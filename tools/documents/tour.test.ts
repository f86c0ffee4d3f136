import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const tour = readFileSync(join(root, 'docs/tour.md'), 'utf8');

test('the files of a request are there, with about as many lines as the tour says', () => {
  const rows = [...tour.matchAll(/^\| `(\S+)` \| (\d+) \|/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [row, path = '', said] of rows) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    expect(Math.abs(lines - Number(said)), `${row} has ${lines}`).toBeLessThanOrEqual(Math.max(10, lines / 5));
  }
});

test('the files that a change touches are there, except those that are new', () => {
  const rows = [...tour.matchAll(/^\| (?:`(\S+)`|elsewhere) \| (`.+) \|$/gm)];
  const files = rows.flatMap(([, folder = '', named = '']) =>
    [...named.matchAll(/`([\w./-]+\.\w+|\S+\/CODEOWNERS)`(?! \(new\))/g)].map(([, file = '']) => join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
