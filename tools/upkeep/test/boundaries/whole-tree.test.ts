import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { checkBoundaries } from '../../src/boundaries/check-boundaries.ts';
import { modulesKnownToGit } from '../../src/boundaries/known-to-git.ts';
import { readModule } from '../../src/boundaries/module.ts';
import { reportText } from '../../src/boundaries/report-text.ts';
import { workspace } from './workspace-with.ts';

const root = join(import.meta.dirname, '../../../..');

test('the workspace breaks no rule', () => {
  expect(checkBoundaries(workspace)).toEqual([]);
});

test('every module that git knows is looked at, and none is empty-eyed', () => {
  const seen = new Set(workspace.modules.map(({ path }) => path));
  expect(modulesKnownToGit(root).filter((path) => !seen.has(path))).toEqual([]);
  const references = workspace.modules.flatMap((module) => module.references);
  expect(references.length).toBeGreaterThan(workspace.modules.length);
});

test('a module that git knows and nobody looked at fails the run', () => {
  const { text, ok } = reportText({ violations: [], packages: 1, modules: 1, unseen: ['packages/new/src/a.ts'] });
  expect({ ok, text }).toEqual({
    ok: false,
    text: expect.stringContaining('packages/new/src/a.ts is known to git and was not looked at'),
  });
});

test('a run that saw nothing fails', () => {
  expect(reportText({ violations: [], packages: 0, modules: 0, unseen: [] }).ok).toBe(false);
});

test('a module that cannot be read is an error, not a module without imports', () => {
  expect(() => readModule('a.ts', "import { from 'pg'")).toThrow('a.ts cannot be read');
});

test('a violation is reported with its rule, its place, the reason and the way out', () => {
  const violation = {
    rule: 'domain-knows-nothing',
    path: 'packages/domain/src/a.ts',
    line: 3,
    what: 'imports pg',
  } as const;
  const { text, ok } = reportText({ violations: [violation], packages: 1, modules: 1, unseen: [] });
  expect(ok).toBe(false);
  expect(text).toMatch(
    /^packages\/domain\/src\/a\.ts:3 imports pg\n {2}rule {5}domain-knows-nothing\n {2}because {2}.+\n {2}instead {2}.+\n\n/,
  );
});

test('the command says how many modules it looked at', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'tools/upkeep/src/boundaries/main.ts')]);
  expect(stdout).toBe(
    `boundaries: ${workspace.modules.length} modules of ${workspace.packages.length} packages looked at, 0 violations\n`,
  );
});
