import type { Module } from './module.ts';
import type { Package } from './workspace.ts';

/** A module, and what it is to its package. */
export interface ModuleOfPackage extends Module {
  readonly owner: Package;
  readonly isSource: boolean;
}

/** The package that a file belongs to: the nearest one above it. */
export function ownerOf(path: string, packages: readonly Package[]): Package {
  const above = packages.filter(({ folder }) => folder === '' || `${path}/`.startsWith(`${folder}/`));
  const nearest = above.toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (!nearest) throw new Error(`${path} belongs to no package: the workspace has no package.json`);
  return nearest;
}

/** Whether a file is what its package is there for: all but `test/`, the settings beside it, and what is the workspace's. */
export function isSource(path: string, { folder }: Package): boolean {
  const inside = path.slice(folder.length + 1);
  return (
    folder !== '' &&
    !inside.startsWith('test/') &&
    !path.startsWith(compiledByTests) &&
    !/^[^/]+\.config\.[cm]?[jt]s$/.test(inside)
  );
}

/** Clients as somebody outside writes them: tests compile them, nothing imports them. */
const compiledByTests = 'packages/testing-clients/callers/';
