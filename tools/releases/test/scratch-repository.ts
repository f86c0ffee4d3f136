import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root, workspacePackages } from '../src/workspace.ts';
import { scratchDirectory, write } from './scratch-directory.ts';

/** What changesets looks at, without changesets that are waiting, in a repository of its own. */
export function scratchWorkspace(): string {
  const copy = scratchDirectory();
  for (const file of ['package.json', 'pnpm-workspace.yaml', '.changeset/config.json'])
    cpSync(join(root, file), join(copy, file));
  for (const { folder } of workspacePackages())
    for (const file of ['package.json', 'CHANGELOG.md'])
      if (existsSync(join(root, folder, file))) cpSync(join(root, folder, file), join(copy, folder, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  git(copy, 'init', '--quiet', '--initial-branch=main');
  return copy;
}

/** Commits these files, and whatever else has changed. */
export function commit(directory: string, files: Readonly<Record<string, string>>): void {
  write(directory, files);
  git(directory, 'add', '--all');
  git(directory, '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message=a change');
}

/** Runs git in a directory. */
export function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd });
}

/** Runs `changeset version`. */
export function makeVersions(cwd: string): void {
  const program = join(root, 'node_modules/.bin/changeset');
  execFileSync(program, ['version'], { cwd, stdio: 'pipe', env: { ...process.env, GITHUB_TOKEN: '' } });
}

/** A changeset that names packages, and how much each changes. */
export function changesetOf(bumps: Readonly<Record<string, string>>): string {
  const lines = Object.entries(bumps).map(([name, bump]) => `"${name}": ${bump}\n`);
  return `---\n${lines.join('')}---\n\nWhat changed.\n`;
}
