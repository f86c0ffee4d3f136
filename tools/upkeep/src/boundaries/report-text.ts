import { rules } from './rules.ts';
import type { Violation } from './violation.ts';

/** What a run has looked at and found. */
export interface Findings {
  readonly violations: readonly Violation[];
  readonly packages: number;
  readonly modules: number;
  /** Modules that git knows and the run has not looked at. */
  readonly unseen: readonly string[];
}

/** The findings for a person, and whether all is well. */
export function reportText({ violations, packages, modules, unseen }: Findings): {
  readonly text: string;
  readonly ok: boolean;
} {
  const found = violations.map(({ rule, path, line, what }) => {
    const { why, instead } = rules[rule];
    return `${path}:${line} ${what}\n  rule     ${rule}\n  because  ${why}\n  instead  ${instead}\n\n`;
  });
  const blind = unseen.map(
    (path) => `${path} is known to git and was not looked at: see tools/upkeep/src/boundaries/workspace.ts\n`,
  );
  const ok = violations.length === 0 && unseen.length === 0 && modules > 0;
  const summary = `boundaries: ${count(modules, 'module')} of ${count(packages, 'package')} looked at, ${count(violations.length, 'violation')}\n`;
  return { text: [...found, ...blind, summary].join(''), ok };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
