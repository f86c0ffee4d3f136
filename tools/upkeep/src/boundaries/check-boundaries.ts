import { checkManifest } from './check-manifest.ts';
import { checkReference, type ModuleOfPackage } from './check-reference.ts';
import { cycles } from './cycles.ts';
import { moduleImports, packageDependencies } from './graphs.ts';
import { isSource, ownerOf } from './ownership.ts';
import { placeOf } from './places.ts';
import type { Violation } from './violation.ts';
import type { Workspace } from './workspace.ts';

/** What breaks the rules in the workspace; in the order of the packages, manifests first. */
export function checkBoundaries(workspace: Workspace): readonly Violation[] {
  const modules = workspace.modules.map((module): ModuleOfPackage => {
    const owner = ownerOf(module.path, workspace.packages);
    return { ...module, owner, isSource: isSource(module.path, owner) };
  });
  return [
    ...workspace.packages.flatMap((each) => checkManifest(each, workspace.packages, placeOf(each.manifest.name))),
    ...modules.flatMap((module) =>
      module.references.flatMap((reference) =>
        checkReference(reference, module, workspace.packages, placeOf(module.owner.manifest.name)),
      ),
    ),
    ...cycles(packageDependencies(workspace.packages)),
    ...cycles(moduleImports(modules, workspace.packages)),
  ];
}
