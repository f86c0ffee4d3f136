import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { usedBy } from '../src/dependencies/used-by.ts';
import { workspace } from './boundaries/workspace-with.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rows = [...read('docs/dependencies.md').matchAll(/^\| `(.+?)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$/gm)];

test('docs/dependencies.md has a line for every dependency, with who uses it', () => {
  const line = ([name, users]: readonly [string, string]) => `| \`${name}\` | ${users} |`;
  const listed = rows.map(([, name = '', users = '']) => line([name, users]));
  const used = [...usedBy(workspace.packages)].map(line);
  const page = 'docs/dependencies.md';
  expect
    .soft(
      used.filter((wanted) => !listed.includes(wanted)),
      `${page}: add these lines, with their weight, why they are there, and what was considered instead`,
    )
    .toEqual([]);
  expect
    .soft(
      listed.filter((given) => !used.includes(given)),
      `${page}: take these lines away, or put who uses it right: no package.json says so`,
    )
    .toEqual([]);
  const names = rows.map(([, name]) => name);
  expect.soft(names, `${page}: sort the lines by name`).toEqual(names.toSorted());
});

test('docs/dependencies.md says of each what it weighs, why it is there, and what was considered instead', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const [, name = '', , weight = '', why = '', instead = ''] of rows) {
    expect(weight, name).toMatch(/^[0-9.]+ MB$/);
    expect(why, name).toMatch(/\w{3}/);
    expect(instead, name).toMatch(/\w{3}/);
  }
});

test('the catalog holds what is used and nothing else, each in one exact version', () => {
  type Versions = Record<string, string>;
  const { catalog, catalogs }: { catalog: Versions; catalogs: Record<string, Versions> } = parse(
    read('pnpm-workspace.yaml'),
  );
  const used = [...usedBy(workspace.packages).keys()].filter((name) => !/^node-/.test(name));
  expect(Object.keys(catalog).toSorted()).toEqual(used.toSorted());
  const versions = [catalog, ...Object.values(catalogs)].flatMap((named) => Object.values(named));
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('no package names a version of its own', () => {
  const own = workspace.packages.flatMap(({ folder, manifest }) => {
    const { dependencies, devDependencies } = manifest;
    const named = Object.entries({ ...dependencies, ...devDependencies });
    return named
      .filter(([, range]) => !/^(catalog:\w*|workspace:[*^])$/.test(range))
      .map(([name]) => `${folder}: ${name}`);
  });
  expect(own).toEqual([]);
});

test('CI installs what the lockfile says and nothing else', () => {
  expect(read('.ci/run')).toContain('npx -y pnpm@12 install --frozen-lockfile');
});
