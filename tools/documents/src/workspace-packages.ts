import { dirname } from 'node:path';
import { files, read } from './root.ts';

/** A package of the workspace, as its package.json tells of it. */
export interface WorkspacePackage {
  readonly name: string;
  /** From the root of the repository: `packages/domain`. */
  readonly folder: string;
  readonly description: string;
  /** What it depends on when it runs, packages of the workspace included. */
  readonly dependencies: readonly string[];
}

/** Every package of the workspace but its root: what the hexagon is made of first, each kind by name. */
export function workspacePackages(): readonly WorkspacePackage[] {
  return files(...['apps/*', 'packages/*', 'tools/*', 'bench', 'deploy'].map((place) => `:(glob)${place}/package.json`))
    .map((path) => {
      const { name, description, dependencies = {} } = JSON.parse(read(path));
      return { name, folder: dirname(path), description, dependencies: Object.keys(dependencies) };
    })
    .toSorted((a, b) => placeOf(a) - placeOf(b) || (a.folder < b.folder ? -1 : 1));
}

const order = [/^packages\/domain$/, /^packages\/adapters-/, /^apps\//, /^deploy$/, /^packages\//, /^bench$/];

function placeOf({ folder }: WorkspacePackage): number {
  const place = order.findIndex((pattern) => pattern.test(folder));
  return place < 0 ? order.length : place;
}
