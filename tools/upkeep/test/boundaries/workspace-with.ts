import { join } from 'node:path';
import { readModule } from '../../src/boundaries/module.ts';
import { type Manifest, readWorkspace, type Workspace } from '../../src/boundaries/workspace.ts';

/** This very workspace. */
export const workspace: Workspace = readWorkspace(join(import.meta.dirname, '../../../..'));

interface Planted {
  readonly path: string;
  readonly text: string;
}

/** This workspace with modules planted in it. */
export function withModules(...planted: readonly Planted[]): Workspace {
  const modules = planted.map(({ path, text }) => readModule(path, text));
  return { ...workspace, modules: [...workspace.modules, ...modules] };
}

/** This workspace with another manifest at the folder, or a package more, and modules planted in it. */
export function withManifest(folder: string, manifest: Manifest, ...modules: readonly Planted[]): Workspace {
  const planted = { folder, manifest, text: JSON.stringify(manifest, null, 2) };
  const packages = [...workspace.packages.filter((each) => each.folder !== folder), planted];
  return { ...withModules(...modules), packages };
}

/** The manifest at the folder as it is. */
export function manifestOf(folder: string): Manifest {
  const found = workspace.packages.find((each) => each.folder === folder);
  if (!found) throw new Error(`there is no package in ${folder}`);
  return found.manifest;
}
