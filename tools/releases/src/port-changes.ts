import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Branch } from './branch.ts';
import { codeOwnersFile, codeOwnersRules, ownerOf } from './code-owners.ts';
import { clausesOf, numbersTakenTwice } from './contract-reports.ts';

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
  /** Clauses of a contract that was there before differ: an adapter that was correct, or a caller, may be wrong now. */
  readonly isBreaking: boolean;
  /** The numbers that several clauses have now. */
  readonly takenTwice: readonly string[];
}

/**
 * What a branch changes of the ports. A port is what has a report `packages/<folder>/api/<port>.contract.md`; the files of
 * that report's owner are the port's.
 */
export function portChanges({ directory, files, changedFiles, before, after }: Branch): readonly PortChange[] {
  const rules = codeOwnersRules(readFileSync(join(directory, codeOwnersFile), 'utf8'));
  const reports = [...new Set([...files, ...changedFiles])].filter((file) => CONTRACT_REPORT.test(file));
  return reports.flatMap((report) => {
    const owner = ownerOf(report, rules) ?? '';
    const changed = changedFiles.filter((file) => ownerOf(file, rules) === owner);
    if (changed.length === 0) return [];
    const [old, now] = [before(report), after(report)];
    const [, port = '', packageName = ''] = /^# (\S+) contract of (\S+)$/m.exec(now || old) ?? [];
    const clauses = clauseChanges(clausesOf(old), clausesOf(now));
    const isBreaking = old !== '' && clauses.length > 0;
    return [{ port, owner, packageName, files: changed, clauses, isBreaking, takenTwice: numbersTakenTwice(now) }];
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

const CONTRACT_REPORT = /^packages\/[^/]+\/api\/[^/]+\.contract\.md$/;
