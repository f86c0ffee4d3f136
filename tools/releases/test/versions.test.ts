import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { versionedPackages, workspacePackages } from '../src/workspace.ts';
import { changesetOf, commit, makeVersions, scratchWorkspace } from './scratch-repository.ts';

test('a change of one package releases it and the service, and leaves every other version alone', () => {
  const copy = scratchWorkspace();
  const before = versions(copy);
  const [major = 0, minor = 0] = (before['@plant-store/domain'] ?? '').split('.').map(Number);
  release(copy, { '@plant-store/domain': 'minor' });
  expect(changed(before, versions(copy))).toEqual({
    '@plant-store/domain': `${major}.${minor + 1}.0`,
    '@plant-store/api': expect.not.stringMatching(`^${before['@plant-store/api']}$`),
  });
});

test('a change that breaks callers of the domain releases every package that depends on it', () => {
  const copy = scratchWorkspace();
  const before = versions(copy);
  release(copy, { '@plant-store/domain': 'major' });
  const after = changed(before, versions(copy));
  const published = workspacePackages().filter(({ isPrivate }) => !isPrivate);
  expect(Object.keys(after).sort()).toEqual(['@plant-store/api', ...published.map(({ name }) => name)].sort());
  expect(after['@plant-store/domain']).toMatch(/^\d+\.0\.0$/);
});

test('a release writes what the changeset says into the CHANGELOG, and needs no token of GitHub', () => {
  const copy = scratchWorkspace();
  release(copy, { '@plant-store/adapters-sqlite': 'patch' });
  const changelog = readFileSync(join(copy, 'packages/adapters-sqlite/CHANGELOG.md'), 'utf8');
  expect(changelog).toMatch(
    /^# @plant-store\/adapters-sqlite\n\n## \d+\.\d+\.\d+\n\n### Patch Changes\n\n- .*What changed\.\n/,
  );
  expect(changelog).toMatch(/\n## 1\.0\.0\n/);
});

test('what is private has no version to raise, but the service', () => {
  const copy = scratchWorkspace();
  const before = versions(copy);
  const unversioned = workspacePackages().filter(({ isPrivate, folder }) => isPrivate && folder !== 'apps/api');
  expect(unversioned.length).toBeGreaterThan(6);
  expect(versionedPackages().filter((each) => unversioned.some(({ name }) => name === each.name))).toEqual([]);
  release(copy, Object.fromEntries(unversioned.map(({ name }) => [name, 'major'])));
  expect(versions(copy)).toEqual(before);
});

/** `changeset version` with one changeset. */
function release(copy: string, bumps: Readonly<Record<string, string>>): void {
  commit(copy, { '.changeset/some.md': changesetOf(bumps) });
  makeVersions(copy);
}

function versions(copy: string): Record<string, string> {
  return Object.fromEntries(workspacePackages(copy).map(({ name, version }) => [name, version]));
}

function changed(before: Record<string, string>, after: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(after).filter(([name, version]) => before[name] !== version));
}
