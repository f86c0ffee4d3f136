import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { cruise, root } from './cruise.ts';

test('the workspace breaks no rule, and every module that git knows was looked at', () => {
  const folders = ['apps', 'bench', 'contracts', 'libraries', 'packages', 'testing', 'tools'];
  const { modules, violations } = cruise(root, folders);
  expect(violations).toEqual([]);
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...folders.map((each) => `${each}/*.ts`)], { cwd: root });
  const files = String(listed)
    .split('\0')
    .filter((path) => path && !/\/(?:consumer|outside-adapter)\//.test(path));
  expect(files.filter((path) => !modules.has(path))).toEqual([]);
  expect(files.length).toBeGreaterThan(300);
});
