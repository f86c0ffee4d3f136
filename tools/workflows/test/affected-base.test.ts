import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../src/workflow.ts';

const directory = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ZEROS = '0'.repeat(40);
const GONE = '1'.repeat(40);

function run(cwd: string, command: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { code: status, stdout: stdout.trim(), stderr: stderr.trim() };
}

function git(cwd: string, ...args: readonly string[]): string {
  const { code, stdout, stderr } = run(cwd, 'git', '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** main has two commits; branch left it after the first, and has one of its own. */
const origin = join(directory, 'origin');
git(directory, 'init', '--quiet', '--initial-branch=main', origin);
const began = commit(origin);
git(origin, 'branch', 'branch');
const newest = commit(origin);
git(origin, 'switch', '--quiet', 'branch');
commit(origin);

function commit(cwd: string): string {
  cpSync(join(root, '.ci/affected-base'), join(cwd, '.ci/affected-base'));
  writeFileSync(join(cwd, 'file'), crypto.randomUUID());
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message', 'a change');
  return git(cwd, 'rev-parse', 'HEAD');
}

let clones = 0;
function clone(...options: readonly string[]): string {
  clones += 1;
  const path = join(directory, `clone-${clones}`);
  git(directory, 'clone', '--quiet', ...options, `file://${origin}`, path);
  return path;
}

const base = (cwd: string, ...commit: readonly string[]) => run(cwd, '.ci/affected-base', ...commit);

test('in a whole clone, it is where the branch left', () => {
  expect(base(clone(), newest)).toEqual({ code: 0, stdout: began, stderr: '' });
});

test('on the first push of a branch, and after a force push, it is where the branch left main', () => {
  const there = clone();
  for (const gone of [ZEROS, GONE])
    expect(base(there, gone)).toEqual({
      code: 0,
      stdout: began,
      stderr: `.ci/affected-base: ${gone} is not in this clone; compares with origin/main`,
    });
});

test.each<[string, () => string, string[], string]>([
  [
    'a shallow clone',
    () => clone('--depth=1'),
    [newest],
    'this clone is shallow and may lack the base: check out with "fetch-depth: 0", or run "git fetch --unshallow"',
  ],
  ['a whole clone and no commit', () => clone(), [], 'name the commit to compare with: .ci/affected-base <commit>'],
  [
    'a whole clone and an empty commit',
    () => clone(),
    [''],
    'name the commit to compare with: .ci/affected-base <commit>',
  ],
  ['a history of its own', unrelated, [newest], 'and this branch have no commit in common: rebase it, or name another'],
])('%s is refused, with one line that says what to do', (_, prepare, args, says) => {
  const { code, stdout, stderr } = base(prepare(), ...args);
  expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
  expect(stderr).toMatch(/^\.ci\/affected-base: /);
  expect(stderr).toContain(says);
});

test('a force push of main itself has nothing to compare with, and is refused', () => {
  const { code, stdout, stderr } = base(clone('--branch=main'), GONE);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('run everything, without --affected');
});

function unrelated(): string {
  const there = clone();
  git(there, 'switch', '--quiet', '--orphan', 'other');
  commit(there);
  return there;
}
