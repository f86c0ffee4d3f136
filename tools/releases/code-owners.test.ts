import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { files, read } from '../repository.ts';

test('CODEOWNERS gives each package and folder one team in one line', () => {
  const [everything, ...lines] = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  expect(everything).toMatch(/^\* +@plant-store\/[\w-]+$/);
  const packages = files(
    'apps/*/package.json',
    'contracts/*/package.json',
    'libraries/*/package.json',
    'packages/*/package.json',
  ).filter((path) => path.split('/').length === 3);
  const owned = [...packages.map(dirname), 'bench', 'deploy', 'testing', 'tools'];
  expect(lines.toSorted()).toEqual(
    owned.toSorted().map((folder) => expect.stringMatching(`^/${folder}/ +@plant-store/[\\w-]+$`)),
  );
});
