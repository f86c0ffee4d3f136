import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A package of this workspace, as its package.json tells of it. */
export interface WorkspacePackage {
  readonly name: string;
  readonly version: string;
  /** From the root of the repository: `packages/domain`. */
  readonly folder: string;
  /** Private ones are never published. */
  readonly isPrivate: boolean;
  /** By their path in `exports`: the file of each condition. */
  readonly entryPoints: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** What its tarball holds, beside what npm always packs: files and folders, from its own folder. */
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
}

/** The repository that this file stands in. */
export const root: string = join(import.meta.dirname, '../../..');

/** Every package of the workspace but its root, by folder. Folders without a package.json are none, as for pnpm. */
export function workspacePackages(inRoot: string = root): readonly WorkspacePackage[] {
  const settings: { packages: readonly string[] } = parse(readFileSync(join(inRoot, 'pnpm-workspace.yaml'), 'utf8'));
  const folders = settings.packages.flatMap((place) => {
    if (!place.endsWith('/*')) return [place];
    const parent = place.slice(0, -'/*'.length);
    return readdirSync(join(inRoot, parent)).map((name) => `${parent}/${name}`);
  });
  const packages = folders.filter((folder) => existsSync(join(inRoot, folder, 'package.json')));
  return packages.sort().map((folder) => readPackage(inRoot, folder));
}

/** Those that a release would publish. */
export function publishedPackages(inRoot: string = root): readonly WorkspacePackage[] {
  return workspacePackages(inRoot).filter(({ isPrivate }) => !isPrivate);
}

/** Those that have versions: what is published, and the service. */
export function versionedPackages(inRoot: string = root): readonly WorkspacePackage[] {
  const { ignore } = JSON.parse(readFileSync(join(inRoot, '.changeset/config.json'), 'utf8'));
  return workspacePackages(inRoot).filter(({ name }) => !ignore.includes(name));
}

function readPackage(inRoot: string, folder: string): WorkspacePackage {
  const manifest = JSON.parse(readFileSync(join(inRoot, folder, 'package.json'), 'utf8'));
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    isPrivate: manifest.private === true,
    entryPoints: new Map(Object.entries(manifest.exports ?? {})),
    files: manifest.files ?? [],
    scripts: manifest.scripts ?? {},
  };
}
