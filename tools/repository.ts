import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository that this file stands in. */
export const root: string = join(import.meta.dirname, '..');

/** The text of a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The files of the repository with such a name, those that are not committed yet included. */
export function files(...patterns: readonly string[]): readonly string[] {
  const options = ['--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', ['ls-files', ...options, '--', ...patterns], { cwd: root, encoding: 'utf8' });
  // In a merge a file may be listed several times; one that was deleted and not yet committed is listed all the same.
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
}
