import { dirname, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { files, read } from '../repository.ts';

test('CODEOWNERS gives each package and folder a team, and has no line for a missing one', () => {
  const [everything, ...lines] = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  expect(everything).toMatch(/^\* +@plant-store\/[\w-]+$/);
  const patterns = lines.map((line) => /^\/(\S+)\/ +@plant-store\/[\w-]+$/.exec(line)?.[1] ?? line);
  const manifests = files('*/package.json').filter((path) => /^([^/]+\/){1,2}package\.json$/.test(path));
  const folders = [...manifests.map(dirname), 'deploy'];
  expect(folders.filter((folder) => !patterns.some((pattern) => matchesGlob(folder, pattern)))).toEqual([]);
  expect(patterns.filter((pattern) => !folders.some((folder) => matchesGlob(folder, pattern)))).toEqual([]);
});
