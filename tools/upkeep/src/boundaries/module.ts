import { type Assumption, assumptionsIn } from './assumptions.ts';
import { type NamedFile, namedFilesIn } from './named-files.ts';
import { parseModule } from './parsed.ts';
import { type Reference, referencesIn } from './references.ts';

/** A file with code, and what it says of others. */
export interface Module {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly references: readonly Reference[];
  readonly files: readonly NamedFile[];
  readonly assumptions: readonly Assumption[];
}

/**
 * Reads the text of a module.
 *
 * @throws {Error} when the text is not a module.
 */
export function readModule(path: string, text: string): Module {
  const parsed = parseModule(path, text);
  return {
    path,
    references: referencesIn(parsed),
    files: namedFilesIn(parsed),
    assumptions: assumptionsIn(parsed),
  };
}

/** The extensions of files that are modules. */
export const MODULE: RegExp = /^\.[cm]?[jt]sx?$/;
