import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
  readonly scripts: Readonly<Record<string, string>>;
}

/** The repository that this file stands in. */
export const root: string = join(import.meta.dirname, '../../..');

/** Every package of the workspace but its root, by folder. */
export function workspacePackages(inRoot: string = root): readonly WorkspacePackage[] {
  const settings = readFileSync(join(inRoot, 'pnpm-workspace.yaml'), 'utf8');
  const [, places = ''] = /^packages:\n((?: {2}- .*\n)+)/.exec(settings) ?? [];
  const folders = [...places.matchAll(/^ {2}- (.*)$/gm)].flatMap(([, place = '']) => {
    if (!place.endsWith('/*')) return [place];
    const parent = place.slice(0, -'/*'.length);
    return readdirSync(join(inRoot, parent)).map((name) => `${parent}/${name}`);
  });
  return folders.sort().map((folder) => readPackage(inRoot, folder));
}

/** Those that a release would publish. */
export function publishedPackages(inRoot: string = root): readonly WorkspacePackage[] {
  return workspacePackages(inRoot).filter(({ isPrivate }) => !isPrivate);
}

function readPackage(inRoot: string, folder: string): WorkspacePackage {
  const manifest = JSON.parse(readFileSync(join(inRoot, folder, 'package.json'), 'utf8'));
  return {
    name: manifest.name,
    version: manifest.version,
    folder,
    isPrivate: manifest.private === true,
    entryPoints: new Map(Object.entries(manifest.exports ?? {})),
    scripts: manifest.scripts ?? {},
  };
}
