import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('CODEOWNERS gives each package one team and one line, and has no line for a single file', () => {
  const lines = readFileSync(join(root, '.github/CODEOWNERS'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const [everything, ...folders] = lines.map((line) => line.split(/ +/));
  expect(everything).toEqual(['*', expect.stringMatching(/^@plant-store\/[\w-]+$/)]);
  expect(
    folders.filter(([, owner, ...more]) => !/^@plant-store\/[\w-]+$/.test(owner ?? '') || more.length > 0),
  ).toEqual([]);
  const packages = globSync('{apps,contracts,libraries,packages,testing}/*/package.json', { cwd: root }).map(dirname);
  const owned = [...packages, 'bench', 'deploy', 'testing', 'tools'].map((folder) => `/${folder}/`);
  expect(folders.map(([folder]) => folder)).toEqual(owned.toSorted());
});
