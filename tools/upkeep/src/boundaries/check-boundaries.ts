import { checkInstalled } from './check-installed.ts';
import { checkManifest } from './check-manifest.ts';
import { checkModule } from './check-module.ts';
import { cycles } from './cycles.ts';
import { moduleImports, packageDependencies } from './graphs.ts';
import { isSource, type ModuleOfPackage, ownerOf } from './ownership.ts';
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
    ...checkInstalled(workspace.installed, workspace.packages),
    ...modules.flatMap((module) => checkModule(module, workspace.packages, placeOf(module.owner.manifest.name))),
    ...cycles(packageDependencies(workspace.packages)),
    ...cycles(moduleImports(modules, workspace.packages)),
  ];
}
