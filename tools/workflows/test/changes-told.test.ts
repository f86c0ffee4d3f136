import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { root } from '../src/workflow.ts';

let there: string;

beforeEach(() => {
  there = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const made = there;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  cpSync(join(root, '.ci/changes-told'), join(there, '.ci/changes-told'));
  // In the place of the two gates: says how it was called.
  writeFileSync(join(there, 'npx'), '#!/bin/sh\necho "$3 $4"\n', { mode: 0o755 });
  git('init', '--quiet', '--initial-branch=main');
  commit();
  commit();
});

test.each(['', 'main', 'HEAD'])('on main itself, with «%s» for a base, it says that nothing was compared', (base) => {
  const name = base || 'main';
  expect(changesTold(base)).toBe(
    `this is ${name}: nothing was compared; set BASE_COMMIT to an earlier commit to compare\n`,
  );
});

test('an earlier commit of main is compared with, and so is main where something is not committed', () => {
  const earlier = git('rev-parse', 'HEAD~1');
  expect(changesTold(earlier)).toBe(`contract-changes ${earlier}\npackage-changes ${earlier}\n`);
  writeFileSync(join(there, 'file'), 'not committed');
  expect(changesTold('main')).toBe('contract-changes main\npackage-changes main\n');
});

test('a branch is compared with main, and a base that git does not know is for the gates to refuse', () => {
  git('switch', '--quiet', '--create', 'branch');
  commit();
  const main = git('rev-parse', 'main');
  expect(changesTold('')).toBe(`contract-changes ${main}\npackage-changes ${main}\n`);
  expect(changesTold('gone')).toBe('contract-changes gone\npackage-changes gone\n');
});

/** What `.ci/changes-told` prints, which ends with 0. */
function changesTold(base: string): string {
  const env = { ...process.env, PATH: `${there}${delimiter}${process.env['PATH']}`, BASE_COMMIT: base };
  const { status, stdout, stderr } = spawnSync(join(there, '.ci/changes-told'), { cwd: there, env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function commit(): void {
  writeFileSync(join(there, 'file'), crypto.randomUUID());
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a change');
}

function git(...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: there, encoding: 'utf8' }).trim();
}
