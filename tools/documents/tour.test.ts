import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../repository.ts';

const tour = read('docs/tour.md');

test('the files that a change touches exist, except new ones', () => {
  const rows = [...tour.matchAll(/^\| (?:`(\S+)`|elsewhere) \| (`.+) \|$/gm)];
  const files = rows.flatMap(([, folder = '', named = '']) =>
    [...named.matchAll(/`([\w./-]+\.\w+)`(?! \(new\))/g)].map(([, file = '']) => join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
