import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, workspacePackages } from '../src/workspace.ts';
import { scratchDirectory, write } from './scratch-directory.ts';

test('a change of one package releases it and the service, and leaves every other version alone', () => {
  const copy = copyOfManifests();
  const before = versions(copy);
  const [major = 0, minor = 0] = (before['@plant-store/domain'] ?? '').split('.').map(Number);
  release(copy, { '@plant-store/domain': 'minor' });
  expect(changed(before, versions(copy))).toEqual({
    '@plant-store/domain': `${major}.${minor + 1}.0`,
    '@plant-store/api': expect.not.stringMatching(`^${before['@plant-store/api']}$`),
  });
});

test('a change that breaks callers of the domain releases every package that depends on it', () => {
  const copy = copyOfManifests();
  const before = versions(copy);
  release(copy, { '@plant-store/domain': 'major' });
  const after = changed(before, versions(copy));
  const published = workspacePackages().filter(({ isPrivate }) => !isPrivate);
  expect(Object.keys(after).sort()).toEqual(['@plant-store/api', ...published.map(({ name }) => name)].sort());
  expect(after['@plant-store/domain']).toMatch(/^\d+\.0\.0$/);
});

test('a release writes what the changeset says into the CHANGELOG, and needs no token of GitHub', () => {
  const copy = copyOfManifests();
  release(copy, { '@plant-store/adapters-sqlite': 'patch' });
  const changelog = readFileSync(join(copy, 'packages/adapters-sqlite/CHANGELOG.md'), 'utf8');
  expect(changelog).toMatch(
    /^# @plant-store\/adapters-sqlite\n\n## \d+\.\d+\.\d+\n\n### Patch Changes\n\n- .*What changed\.\n/,
  );
  expect(changelog).toMatch(/\n## 1\.0\.0\n/);
});

test('what is never released has no version to raise', () => {
  const copy = copyOfManifests();
  const before = versions(copy);
  const { ignore } = JSON.parse(readFileSync(join(root, '.changeset/config.json'), 'utf8'));
  expect(ignore.length).toBeGreaterThan(3);
  release(copy, Object.fromEntries(ignore.map((name: string) => [name, 'major'])));
  expect(versions(copy)).toEqual(before);
});

/** What changesets looks at, without changesets that are waiting, in a repository of its own. */
function copyOfManifests(): string {
  const copy = scratchDirectory();
  for (const file of ['package.json', 'pnpm-workspace.yaml', '.changeset/config.json'])
    cpSync(join(root, file), join(copy, file));
  for (const { folder } of workspacePackages())
    for (const file of ['package.json', 'CHANGELOG.md'])
      if (existsSync(join(root, folder, file))) cpSync(join(root, folder, file), join(copy, folder, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: copy });
  return copy;
}

/** `changeset version` with one changeset. */
function release(copy: string, bumps: Readonly<Record<string, string>>): void {
  const lines = Object.entries(bumps).map(([name, bump]) => `"${name}": ${bump}\n`);
  write(copy, { '.changeset/some.md': `---\n${lines.join('')}---\n\nWhat changed.\n` });
  const program = join(root, 'node_modules/.bin/changeset');
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  execFileSync('git', ['add', '--all'], { cwd: copy });
  execFileSync('git', [...git, 'commit', '--quiet', '--message=a change'], { cwd: copy });
  execFileSync(program, ['version'], { cwd: copy, stdio: 'pipe', env: { ...process.env, GITHUB_TOKEN: '' } });
}

function versions(copy: string): Record<string, string> {
  return Object.fromEntries(workspacePackages(copy).map(({ name, version }) => [name, version]));
}

function changed(before: Record<string, string>, after: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(after).filter(([name, version]) => before[name] !== version));
}
