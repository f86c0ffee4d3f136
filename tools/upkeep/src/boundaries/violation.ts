import type { RuleName } from './rules.ts';

/** One place where a rule is broken. */
export interface Violation {
  readonly rule: RuleName;
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** What was done there: `imports pg`. */
  readonly what: string;
}
