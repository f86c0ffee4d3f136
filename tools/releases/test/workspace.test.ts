import { expect, test } from 'vitest';
import { publishedPackages, workspacePackages } from '../src/workspace.ts';
import { scratchDirectory, write } from './scratch-directory.ts';

test('a folder that a deleted package has left behind is no package', () => {
  const root = scratchDirectory();
  write(root, {
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n  - bench\n',
    'packages/some/package.json': '{"name":"some","version":"1.0.0"}',
    'packages/deleted/dist/index.js': '',
    'packages/.DS_Store': '',
  });
  expect(workspacePackages(root).map(({ name }) => name)).toEqual(['some']);
  expect(publishedPackages(root).map(({ name }) => name)).toEqual(['some']);
});
