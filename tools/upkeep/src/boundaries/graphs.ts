import { posix } from 'node:path';
import type { ModuleOfPackage } from './ownership.ts';
import { allDependencies, packageBehind } from './package-behind.ts';
import { isRelative, packageNameOf } from './specifier.ts';
import type { Package } from './workspace.ts';

/** What depends on what, and where that is written. */
export type Graph = ReadonlyMap<string, readonly Edge[]>;

interface Edge {
  readonly to: string;
  readonly line: number;
}

/** The modules, and what of the workspace they import, packages by their exports. */
export function moduleImports(modules: readonly ModuleOfPackage[], packages: readonly Package[]): Graph {
  return new Map(
    modules.map(({ path, owner, references }) => [
      path,
      references.flatMap(({ specifier = '', line }) => {
        const to = isRelative(specifier)
          ? posix.join(posix.dirname(path), specifier)
          : sourceOf(specifier, owner, packages);
        return to ? [{ to, line }] : [];
      }),
    ]),
  );
}

/** The packages, by their package.json, and what of the workspace they depend on, in tests too: turbo builds in that order. */
export function packageDependencies(packages: readonly Package[]): Graph {
  const manifestOf = ({ folder }: Package) => posix.join(folder, 'package.json');
  return new Map(
    packages.map((each) => {
      const lines = each.text.split('\n');
      const edges = Object.keys(allDependencies(each.manifest)).flatMap((name) => {
        const to = packageBehind(name, each, packages);
        return to ? [{ to: manifestOf(to), line: 1 + lines.findIndex((line) => line.includes(`"${name}":`)) }] : [];
      });
      return [manifestOf(each), edges];
    }),
  );
}

/** The file behind an export, as development resolves it. */
function sourceOf(specifier: string, owner: Package, packages: readonly Package[]): string | undefined {
  const name = packageNameOf(specifier);
  const theirs = packageBehind(name, owner, packages);
  const entry = theirs?.manifest.exports?.[`.${specifier.slice(name.length)}`];
  const file = typeof entry === 'object' && entry && 'development' in entry ? entry.development : entry;
  return theirs && typeof file === 'string' ? posix.join(theirs.folder, file) : undefined;
}
