import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.ts';

/** Where GitHub looks for it, from the root of the repository. */
export const codeOwnersFile = '.github/CODEOWNERS';

/** A line of CODEOWNERS: what it matches, and the team that owns that. */
export interface CodeOwnersRule {
  readonly pattern: string;
  readonly owner: string;
}

/** The rules that are committed. */
export function committedRules(): readonly CodeOwnersRule[] {
  return codeOwnersRules(readFileSync(join(root, codeOwnersFile), 'utf8'));
}

/**
 * Reads CODEOWNERS. Of GitHub's patterns only those are accepted that everybody reads alike: `*`, `/folder/`, `/file`.
 *
 * @throws {Error} naming the line that is something else.
 */
export function codeOwnersRules(text: string): readonly CodeOwnersRule[] {
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(#|$)/.test(line)) return [];
    const [, pattern = '', owner = ''] = /^(\*|\/[^\s*?![\]\\]+)\s+(@[\w-]+\/[\w-]+)$/.exec(line) ?? [];
    if (pattern) return [{ pattern, owner }];
    throw new Error(
      `${codeOwnersFile}:${at + 1}: write "*", "/folder/" or "/file", and one @organisation/team: ${line}`,
    );
  });
}

/** The team that owns a file, by its path from the root of the repository: that of the last rule that matches. */
export function ownerOf(path: string, rules: readonly CodeOwnersRule[]): string | undefined {
  return rules.findLast(({ pattern }) => matches(pattern, `/${path}`))?.owner;
}

function matches(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('/') && path.startsWith(pattern));
}
