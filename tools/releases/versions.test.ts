import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, read, root } from '../repository.ts';

const DOMAIN = '@plant-store/domain';
const manifests = files('*/package.json').filter(
  (path) => JSON.parse(read(path)).version && !path.startsWith('tools/releases/'),
);
const pending = Object.fromEntries(files('.changeset/*.md').map((path) => [path, read(path)]));

test('a minor version of domain is one of domain alone, and the service that contains it gets a patch', () => {
  const plan = releases({ '.changeset/planted.md': changeset('minor') });
  expect(plan).toEqual({ [DOMAIN]: 'minor', '@plant-store/api': 'patch' });
});

// A patch that needs another major version of its peer would break users who update within a range.
test('a major version of domain is one of each package that has it as a peer', () => {
  expect(peersOfDomain.length).toBeGreaterThan(5);
  const others = (plan: Plan) =>
    plan[DOMAIN] === 'major' ? peersOfDomain.filter((name) => plan[name] !== 'major') : [];
  expect(others(releases(pending))).toEqual([]);
  expect(others(releases({ '.changeset/planted.md': changeset('major') }))).toEqual(peersOfDomain);
});

/** Without the packages that have not been released, because nobody can update them. */
const peersOfDomain = manifests.flatMap((path) => {
  if (files(join(dirname(path), 'CHANGELOG.md')).length === 0) return [];
  const { name, peerDependencies = {} } = JSON.parse(read(path));
  return DOMAIN in peerDependencies ? [name as string] : [];
});

const changeset = (bump: string) => `---\n'${DOMAIN}': ${bump}\n---\n\nAnother operation.\n`;

/** The bump of each package that a release would publish. */
type Plan = Readonly<Record<string, string>>;

/** What `changeset version` makes of these changesets, in a copy of the manifests. */
function releases(changesets: Readonly<Record<string, string>>): Plan {
  const copy = mkdtempSync(join(tmpdir(), 'plant-store-versions-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const path of [...manifests, 'package.json', 'pnpm-workspace.yaml', '.changeset/config.json']) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  for (const [path, text] of Object.entries(changesets)) writeFileSync(join(copy, path), text);
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  execFileSync(process.execPath, ['node_modules/@changesets/cli/bin.js', 'version'], { cwd: copy });
  const bumps = manifests.map((path) => {
    const { name, version } = JSON.parse(read(path));
    return [name, bumpOf(version, JSON.parse(readFileSync(join(copy, path), 'utf8')).version)] as const;
  });
  return Object.fromEntries(bumps.filter(([, bump]) => bump !== undefined));
}

function bumpOf(before: string, after: string): string | undefined {
  const numbers = after.split('.');
  return ['major', 'minor', 'patch'][before.split('.').findIndex((number, at) => number !== numbers[at])];
}
