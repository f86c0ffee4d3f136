import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a branch has made of the commit that it began at. Files are named from the root of the repository. */
export interface Branch {
  readonly directory: string;
  /** Every file that git knows now. */
  readonly files: readonly string[];
  /** Those that came, went or differ, the work tree included. */
  readonly changedFiles: readonly string[];
  /** The text of a file at the commit that the branch began at; empty where there was none. */
  readonly before: (file: string) => string;
  /** The text of a file now; empty where there is none. */
  readonly after: (file: string) => string;
}

/**
 * The branch that is checked out in a directory, compared with what it has in common with a base.
 *
 * @throws {Error} when git does not know the base, or none is named.
 */
export function branchSince(directory: string, base: string | undefined): Branch {
  if (!base) throw new Error('name the commit that the branch began at, as the only argument');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const since = mergeBase(git, base);
  return {
    directory,
    files: lines(git('ls-files')),
    changedFiles: lines(git('diff', '--name-only', '--no-renames', since)),
    before: (file) => textOrNone(() => git('show', `${since}:${file}`)),
    after: (file) => textOrNone(() => readFileSync(join(directory, file), 'utf8')),
  };
}

function mergeBase(git: (...args: readonly string[]) => string, base: string): string {
  try {
    return git('merge-base', base, 'HEAD').trim();
  } catch (cause) {
    // A shallow clone would otherwise compare with nothing, and say that nothing has changed.
    const remedy = 'fetch it, in GitHub Actions with "fetch-depth: 0"';
    throw new Error(`${base} is no commit that this branch and its base have in common: ${remedy}`, { cause });
  }
}

function textOrNone(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter(Boolean);
}
