import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOwnersFile, codeOwnersRules, ownerOf } from './code-owners.ts';
import { clausesOf } from './contract-reports.ts';

/** What a branch changes of a port: of its contract, its documentation, and the checks. */
export interface PortChange {
  /** As its contract is named: `PlantRepository`. */
  readonly port: string;
  readonly owner: string;
  /** The package that the port belongs to. */
  readonly packageName: string;
  /** The changed files that the port's owner owns. */
  readonly files: readonly string[];
  /** The clauses that came, went or were put otherwise, a line each. */
  readonly clauses: readonly string[];
}

/**
 * What has changed of the ports between a commit and the work tree. A port is what has a report
 * `packages/<folder>/api/<port>.contract.md`; the files of that report's owner are the port's.
 *
 * @throws {Error} when git does not know the commit.
 */
export function portChanges(directory: string, base: string): readonly PortChange[] {
  const git = gitIn(directory);
  const since = mergeBase(git, base);
  const rules = codeOwnersRules(readFileSync(join(directory, codeOwnersFile), 'utf8'));
  const changed = lines(git('diff', '--name-only', '--no-renames', since));
  const reports = [...new Set([...lines(git('ls-files')), ...changed])].filter((file) => CONTRACT_REPORT.test(file));
  return reports.flatMap((report) => {
    const owner = ownerOf(report, rules) ?? '';
    const files = changed.filter((file) => ownerOf(file, rules) === owner);
    if (files.length === 0) return [];
    const before = shown(git, `${since}:${report}`);
    const after = files.includes(report) ? inWorkTree(directory, report) : before;
    const [, port = '', packageName = ''] = /^# (\S+) contract of (\S+)$/m.exec(after || before) ?? [];
    return [{ port, owner, packageName, files, clauses: clauseChanges(clausesOf(before), clausesOf(after)) }];
  });
}

/** How one list of clauses became another, a line for each difference. */
function clauseChanges(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const came = [...after].filter(([id]) => !before.has(id)).map(([id, title]) => `added: ${id} ${title}`);
  const went = [...before].filter(([id]) => !after.has(id)).map(([id, title]) => `removed: ${id} ${title}`);
  const otherwise = [...after].flatMap(([id, title]) => {
    const old = before.get(id);
    return old === undefined || old === title ? [] : [`changed: ${id} ${old} → ${title}`];
  });
  return [...came, ...went, ...otherwise];
}

type Git = (...args: readonly string[]) => string;

const CONTRACT_REPORT = /^packages\/[^/]+\/api\/[^/]+\.contract\.md$/;

function gitIn(cwd: string): Git {
  return (...args) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function mergeBase(git: Git, base: string): string {
  try {
    return git('merge-base', base, 'HEAD').trim();
  } catch (cause) {
    // A shallow clone would otherwise compare with nothing, and say that nothing has changed.
    const remedy = 'fetch it, in GitHub Actions with "fetch-depth: 0"';
    throw new Error(`${base} is no commit that this branch and its base have in common: ${remedy}`, { cause });
  }
}

function shown(git: Git, object: string): string {
  try {
    return git('show', object);
  } catch {
    return '';
  }
}

function inWorkTree(directory: string, file: string): string {
  try {
    return readFileSync(join(directory, file), 'utf8');
  } catch {
    return '';
  }
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter(Boolean);
}
