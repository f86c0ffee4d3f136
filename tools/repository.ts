import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the repository. */
export const root: string = join(import.meta.dirname, '..');

/** Reads a file of the repository. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The paths of the files that match git's patterns, including files that are not committed. */
export function files(...patterns: readonly string[]): readonly string[] {
  const options = ['--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', ['ls-files', ...options, '--', ...patterns], { cwd: root, encoding: 'utf8' });
  // A file may be listed several times during a merge, and also if it was deleted and not committed.
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
}
