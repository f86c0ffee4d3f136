import { posix } from 'node:path';
import type { Manifest, Package } from './workspace.ts';

/** The package of the workspace that a package means by a name, which its manifest may give to another one or to a folder. */
export function packageBehind(
  name: string,
  { folder, manifest }: Package,
  packages: readonly Package[],
): Package | undefined {
  const version = allDependencies(manifest)[name] ?? '';
  const [, path] = /^(?:link|file):(.+)$|^workspace:(?=\.)(.+)$/.exec(version)?.filter(Boolean) ?? [];
  if (path) return packages.find((each) => each.folder === posix.join(folder, path, '.').replace(/\/$/, ''));
  const [, real = name] = /^workspace:(.+)@[^@]*$|^npm:(@?[^@]+)/.exec(version)?.filter(Boolean) ?? [];
  return packages.find((each) => each.manifest.name === real);
}

/** What a package names, for whatever use, and in which version. */
export function allDependencies(manifest: Manifest): Readonly<Record<string, string>> {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = manifest;
  return { ...devDependencies, ...peerDependencies, ...optionalDependencies, ...dependencies };
}
