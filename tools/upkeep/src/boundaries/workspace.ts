import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { type Installed, installedIn } from './installed.ts';
import { MODULE, type Module, readModule } from './module.ts';

/** The part of a package.json that the boundaries are about. */
export interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A folder with a package.json; modules in folders without one belong to the next folder above. */
export interface Package {
  /** Relative to the workspace, with `/`; empty for the workspace itself. */
  readonly folder: string;
  /** The package.json as it is written. */
  readonly text: string;
  readonly manifest: Manifest;
}

/** All packages and modules of a workspace, and what is installed for them. */
export interface Workspace {
  readonly packages: readonly Package[];
  readonly modules: readonly Module[];
  readonly installed: readonly Installed[];
}

/** Reads the workspace from the disk: what is there, not what somebody has listed. */
export function readWorkspace(root: string): Workspace {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  // ** takes no dot folders along.
  const files = globSync(['**/*', '.ci/**/*', '.pnpmfile.mjs'], { cwd: root, exclude: isNotOurs }).toSorted();
  return {
    packages: files
      .filter((path) => path === 'package.json' || path.endsWith('/package.json'))
      .map((path) => ({ folder: folderOf(path), text: read(path), manifest: JSON.parse(read(path)) })),
    modules: files.filter((path) => MODULE.test(extname(path))).map((path) => readModule(path, read(path))),
    installed: installedIn(read('pnpm-lock.yaml')),
  };
}

/** What somebody would write who has installed our packages: no package of the workspace, and held to none of its rules. */
export const installedElsewhere = 'tools/releases/consumer';

/** Written by tools, or by others. */
function isNotOurs(path: string): boolean {
  return /(^|\/)(node_modules|dist|coverage|reports)$|^data$/.test(path) || path === installedElsewhere;
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}
