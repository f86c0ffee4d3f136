import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The repository that this file stands in. */
export const root: string = join(import.meta.dirname, '../../..');

/** A workflow of GitHub Actions, as far as its rules look at it. */
export interface Workflow {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: ReadonlyMap<string, Job>;
}

export interface Job {
  readonly if?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: unknown;
  /** An expression is a text. */
  readonly strategy?: { readonly matrix: Readonly<Record<string, string | readonly (string | number)[]>> };
  readonly steps: readonly Step[];
}

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

const folder = '.github/workflows';

/** The workflows of this repository. */
export function committedWorkflows(): readonly Workflow[] {
  const paths = readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);
  return paths.map((path) => readWorkflow(path, readFileSync(join(root, path), 'utf8')));
}

/** Reads the text of a workflow. */
export function readWorkflow(path: string, text: string): Workflow {
  const { on, permissions, jobs } = parse(text);
  return { path, text, on, permissions, jobs: new Map(Object.entries(jobs)) };
}
