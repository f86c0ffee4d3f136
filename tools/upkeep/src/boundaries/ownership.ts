import type { Package } from './workspace.ts';

/** The package that a file belongs to: the nearest one above it. */
export function ownerOf(path: string, packages: readonly Package[]): Package {
  const above = packages.filter(({ folder }) => folder === '' || path.startsWith(`${folder}/`));
  const nearest = above.toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (!nearest) throw new Error(`${path} belongs to no package: the workspace has no package.json`);
  return nearest;
}

/** Whether a file is what its package is installed for; tests and settings are not. */
export function isSource(path: string, { folder }: Package): boolean {
  return folder !== '' && path.startsWith(`${folder}/src/`);
}
