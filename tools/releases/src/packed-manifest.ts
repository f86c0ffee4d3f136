import { parse } from 'yaml';
import { manifestWithout } from './manifest-without.ts';

/** Where the versions stand that "catalog:" means, from the root of the repository. */
export const settingsFile = 'pnpm-workspace.yaml';

/**
 * What of a package.json gets to the users of its package, so that two can be compared: without what .pnpmfile.mjs takes
 * out when pnpm packs, and with the version that the settings of the workspace have in the place of each "catalog:".
 */
export function packedManifest(manifest: string, settings: string): string {
  const { catalog, catalogs }: Settings = parse(settings) ?? {};
  const versions: Readonly<Record<string, Versions | undefined>> = { default: catalog, ...catalogs };
  const packed = manifestWithout(manifest, ['scripts', 'devDependencies']);
  return packed.replaceAll(/"([^"]+)":"catalog:([^"]*)"/g, (_, name: string, of: string) => {
    return `"${name}":${JSON.stringify(versions[of || 'default']?.[name])}`;
  });
}

interface Settings {
  readonly catalog?: Versions;
  readonly catalogs?: Readonly<Record<string, Versions>>;
}

type Versions = Readonly<Record<string, string>>;
