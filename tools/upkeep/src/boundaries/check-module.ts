import type { Assumption } from './assumptions.ts';
import { checkNamedFile } from './check-named-file.ts';
import { checkReference } from './check-reference.ts';
import type { ModuleOfPackage } from './ownership.ts';
import type { Place } from './places.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/** What a module says against the rules: of other modules, of files, of what it takes for granted. */
export function checkModule(
  module: ModuleOfPackage,
  packages: readonly Package[],
  place: Place | undefined,
): readonly Violation[] {
  const assumptions = module.isSource && place?.pure ? [...believed(module.path), ...module.assumptions] : [];
  return [
    ...module.references.flatMap((reference) => checkReference(reference, module, packages, place)),
    ...module.files.flatMap((file) => checkNamedFile(file, module, packages, place)),
    ...assumptions.map((each) => ({ rule: 'domain-assumes-nothing' as const, path: module.path, ...each })),
  ];
}

/** What the compiler does not look into: JavaScript, and declarations that stand beside it. */
function believed(path: string): readonly Assumption[] {
  const isChecked = path.endsWith('.ts') && !/\.d\.(\w+\.)?ts$/.test(path);
  return isChecked ? [] : [{ what: 'is no TypeScript that the compiler checks', line: 1 }];
}
