import { posix } from 'node:path';
import { brokenByPath } from './check-reference.ts';
import type { NamedFile } from './named-files.ts';
import { type ModuleOfPackage, ownerOf } from './ownership.ts';
import type { Place } from './places.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/** The rule that a file named by its path breaks: what is read, or started, from there couples like an import. */
export function checkNamedFile(
  { path, line }: NamedFile,
  module: ModuleOfPackage,
  packages: readonly Package[],
  place: Place | undefined,
): readonly Violation[] {
  const target = posix.join(posix.dirname(module.path), path);
  const theirs = ownerOf(target, packages);
  const isServed = module.isSource && place?.served === true;
  // Tests and tools look at the workspace itself, too: its documents, its settings, what is installed.
  const isWorkspace = theirs.folder === '' && !/^\.\.(\/|$)/.test(target);
  if (!isServed && (theirs === module.owner || isWorkspace || place?.mayRead?.test(theirs.manifest.name))) return [];
  const broken = isServed ? brokenByPath(target, module, packages) : 'through-exports-only';
  const rule = broken === 'through-exports-only' ? 'own-files-only' : broken;
  return rule ? [{ rule, path: module.path, line, what: `names the file ${target}` }] : [];
}
