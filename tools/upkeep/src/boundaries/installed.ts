import { parse } from 'yaml';

/** The package that pnpm puts behind a name, whatever a catalog, an override or a hook has made of it. */
export interface Installed {
  /** Of the package that depends on it, relative to the workspace; empty for the workspace itself. */
  readonly folder: string;
  readonly name: string;
  /** `8.23.1`, `link:../domain`, or with the name where that is another one: `pg@8.23.1`. */
  readonly version: string;
  /** In the lockfile, counted from 1. */
  readonly line: number;
}

/**
 * What every package of the workspace gets for each name that it depends on.
 *
 * @throws {Error} when the text is not a lockfile of pnpm's.
 */
export function installedIn(lockfile: string): readonly Installed[] {
  // Below stand the packages of others, and what they depend on under whatever name.
  const [head = ''] = lockfile.split(/^packages:$/m);
  const { importers }: { importers?: Readonly<Record<string, Importer>> } = parse(head) ?? {};
  if (!importers) throw new Error('pnpm-lock.yaml has no importers: run "npx -y pnpm@12 install"');
  const lines = head.split('\n');
  return Object.entries(importers).flatMap(([importer, kinds]) =>
    Object.values(kinds).flatMap((named) =>
      Object.entries(named).map(([name, { version }]) => {
        const from = lines.indexOf(`  ${importer}:`);
        const at = lines.findIndex((line, index) => index > from && line.trim().replaceAll("'", '') === `${name}:`);
        return { folder: importer === '.' ? '' : importer, name, version, line: at + 1 };
      }),
    ),
  );
}

/** By the kind of dependency, by name. */
type Importer = Readonly<Record<string, Readonly<Record<string, { readonly version: string }>>>>;
