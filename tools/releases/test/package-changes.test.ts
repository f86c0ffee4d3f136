import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeOwnersFile } from '../src/code-owners.ts';
import { settingsFile } from '../src/packed-manifest.ts';
import { root } from '../src/workspace.ts';
import { runGate } from './run-gate.ts';
import { write } from './scratch-directory.ts';
import { changesetOf, commit, git, makeVersions, scratchWorkspace } from './scratch-repository.ts';

const postgres = '@plant-store/adapters-postgres';
const source = 'packages/adapters-postgres/src/index.ts';

test.each([
  source,
  'packages/adapters-postgres/README.md',
  'packages/adapters-http/docs-page/page.css',
  'apps/api/src/main.ts',
])('a change of %s asks for a changeset that names its package', (file) => {
  const { directory, run } = branch();
  const memory = changesetOf({ '@plant-store/adapters-memory': 'minor' });
  commit(directory, { [file]: 'changed', '.changeset/some.md': memory });
  const { code, output } = run();
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^@plant-store\/[\w-]+: no changeset of this branch names it: .*\n {2}changed file: .*\nchanged packages: 1, without a changeset: 1\n$/,
    ),
  });
  expect(output).toContain(`changed file: ${file}\n`);
});

test('a changeset that names each changed package, or an empty one, satisfies', () => {
  const { directory, run } = branch();
  commit(directory, { [source]: 'changed', '.changeset/some.md': changesetOf({ [postgres]: 'minor' }) });
  expect(run()).toEqual({ code: 0, output: 'changed packages: 1, without a changeset: 0\n' });
  commit(directory, { 'packages/adapters-sqlite/src/index.ts': 'changed' });
  expect(run().code).toBe(1);
  commit(directory, { '.changeset/empty.md': '---\n---\n' });
  expect(run()).toEqual({ code: 0, output: 'changed packages: 2, without a changeset: 0\n' });
});

test('a changeset that was there before is of another change', () => {
  const { directory, run } = branch({ '.changeset/before.md': changesetOf({ [postgres]: 'minor' }) });
  commit(directory, { [source]: 'changed' });
  expect(run().code).toBe(1);
});

test('what no user gets needs no changeset: tests, tools, what is taken out of a packed package.json', () => {
  const { directory, run } = branch();
  commit(directory, {
    'packages/adapters-postgres/test/some.test.ts': 'changed',
    'packages/testing-postgres/src/index.ts': 'changed',
    'docs/some.md': 'changed',
    'packages/some/package.json': JSON.stringify({ name: 'some', version: '1.0.0', files: ['src'], scripts: {} }),
  });
  expect(run()).toEqual({ code: 0, output: 'changed packages: 0, without a changeset: 0\n' });
  const dependencies = { dependencies: { pg: '1.0.0' } };
  commit(directory, {
    'packages/some/package.json': JSON.stringify({ name: 'some', version: '1.0.0', files: ['src'], ...dependencies }),
  });
  expect(run().code).toBe(1);
});

test.each([
  ['pg', ['@plant-store/adapters-postgres']],
  ['fastify', ['@plant-store/api', '@plant-store/adapters-http']],
  ['vitest', []],
])('another version of %s in the catalog asks for changesets of those who depend on it', (name, asked) => {
  const { directory, run } = branch();
  commit(directory, { [settingsFile]: otherVersion(name) });
  const { code, output } = run();
  expect(
    [...output.matchAll(/^(@\S+): no changeset .*\n {2}changed file: (.*)$/gm)].map(([, ...said]) => said),
  ).toEqual(asked.map((each) => [each, settingsFile]));
  expect(code).toBe(asked.length > 0 ? 1 : 0);
  commit(directory, { '.changeset/some.md': changesetOf(Object.fromEntries(asked.map((each) => [each, 'patch']))) });
  expect(run().code).toBe(0);
});

test('a version in a named catalog counts, and one that moves into a catalog has not changed', () => {
  const { directory, run } = branch();
  const using = (version: string) =>
    JSON.stringify({ name: 'some', version: '1.0.0', files: ['src'], dependencies: { left: version } });
  const settings = `${readFileSync(join(directory, settingsFile), 'utf8')}\n`;
  const withCatalog = (version: string) => settings.replace('catalogs:\n', `catalogs:\n  old:\n    left: ${version}\n`);
  commit(directory, { 'packages/some/package.json': using('1.2.3') });
  git(directory, 'branch', '--force', 'main');
  commit(directory, { 'packages/some/package.json': using('catalog:old'), [settingsFile]: withCatalog('1.2.3') });
  expect(run()).toEqual({ code: 0, output: 'changed packages: 0, without a changeset: 0\n' });
  git(directory, 'branch', '--force', 'main');
  commit(directory, { [settingsFile]: withCatalog('1.2.4') });
  expect(run()).toEqual({ code: 1, output: expect.stringContaining(`  changed file: ${settingsFile}\n`) });
});

test('a new package comes with its version, and needs no changeset', () => {
  const { directory, run } = branch();
  const manifest = JSON.stringify({ name: 'new', version: '1.0.0', files: ['src'] });
  commit(directory, { 'packages/new/package.json': manifest, 'packages/new/src/index.ts': 'new' });
  expect(run()).toEqual({ code: 0, output: 'changed packages: 0, without a changeset: 0\n' });
});

test('a changeset that names what has no versions is refused', () => {
  const { directory, run } = branch();
  commit(directory, {
    '.changeset/some.md': changesetOf({ '@plant-store/bench': 'minor', '@plant-store/gone': 'minor' }),
  });
  const { code, output } = run();
  expect(code).toBe(1);
  expect(output).toContain(
    '@plant-store/bench: has no versions: take it out of the changeset\n@plant-store/gone: has no',
  );
});

test('in GitHub Actions it stands at the file', () => {
  const { directory } = branch();
  commit(directory, { [source]: 'changed' });
  const { output } = runGate('package-changes', directory, 'main', { GITHUB_ACTIONS: 'true' });
  expect(output).toMatch(new RegExp(`^::error file=${source},title=${postgres}::no changeset of this branch names it`));
});

test('the branch of a release passes, as `changeset version` makes it', () => {
  const { directory, run } = release();
  commit(directory, {});
  expect(run()).toEqual({ code: 0, output: expect.stringMatching(/^a release: /) });
  expect(runGate('contract-changes', directory, 'main')).toEqual({
    code: 0,
    output: expect.stringMatching(/^changed ports: 0, /),
  });
});

test.each([
  ['a source', { [source]: 'changed' }],
  ['a dependency', { 'packages/adapters-postgres/package.json': '{"name":"other","version":"2.0.0","files":["src"]}' }],
])('a release that changes %s as well does not pass', (_, files) => {
  const { directory, run } = release();
  commit(directory, files);
  expect(run().code).toBe(1);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['only deleted', {}],
  ['deleted beside another version, without its CHANGELOG', { 'packages/some/package.json': some('1.1.0') }],
  ['deleted beside a CHANGELOG, without another version', { 'packages/some/CHANGELOG.md': '# some\n\n## 1.1.0\n' }],
])('a changeset that is %s is no release', (_, files) => {
  const { directory, run } = branch({ '.changeset/some.md': changesetOf({ some: 'minor' }) });
  rmSync(join(directory, '.changeset/some.md'));
  commit(directory, files);
  expect(run()).toEqual({
    code: 1,
    output: expect.stringMatching(
      /^some: no changeset of this branch names it: .*\n(.*\n)? {2}changed file: \.changeset\/some\.md\n/,
    ),
  });
  commit(directory, { '.changeset/other.md': changesetOf({ some: 'patch' }) });
  expect(run().code).toBe(0);
});

/** The settings of the workspace with another version of a package in the catalog. */
function otherVersion(name: string): string {
  const settings = readFileSync(join(root, settingsFile), 'utf8');
  const other = settings.replace(new RegExp(`^(  ${name}: ).*$`, 'm'), '$199.0.0');
  expect(other).not.toBe(settings);
  return other;
}

/** The package.json of a package that every branch begins with. */
function some(version: string): string {
  return JSON.stringify({ name: 'some', version, files: ['src'] });
}

/** The workspace, on a branch that begins at `main`. */
function branch(files: Readonly<Record<string, string>> = {}) {
  const directory = scratchWorkspace();
  cpSync(join(root, codeOwnersFile), join(directory, codeOwnersFile));
  cpSync(join(root, 'packages/domain/api'), join(directory, 'packages/domain/api'), { recursive: true });
  write(directory, { 'packages/some/package.json': some('1.0.0') });
  commit(directory, files);
  git(directory, 'switch', '--quiet', '--create', 'branch');
  return { directory, run: () => runGate('package-changes', directory, 'main') };
}

/** A branch after `changeset version`. */
function release() {
  const made = branch({ '.changeset/some.md': changesetOf({ '@plant-store/domain': 'minor', [postgres]: 'patch' }) });
  makeVersions(made.directory);
  return made;
}
