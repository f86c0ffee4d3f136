import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../repository.ts';

const tour = read('docs/tour.md');

test('the files of a request exist, with about as many lines as the tour says', () => {
  const rows = [...tour.matchAll(/^\| `(\S+)` \| (\d+) \|/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [row, path = '', said] of rows) {
    const lines = read(path).split('\n').length - 1;
    expect(Math.abs(lines - Number(said)), `${row} has ${lines}`).toBeLessThanOrEqual(Math.max(10, lines / 5));
  }
});

test('the files that a change touches exist, except new ones', () => {
  const rows = [...tour.matchAll(/^\| (?:`(\S+)`|elsewhere) \| (`.+) \|$/gm)];
  const files = rows.flatMap(([, folder = '', named = '']) =>
    [...named.matchAll(/`([\w./-]+\.\w+|\S+\/CODEOWNERS)`(?! \(new\))/g)].map(([, file = '']) => join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
