import { parse } from 'yaml';

/** A lockfile of pnpm, as far as the rules below look at it. */
interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly resolution: Readonly<Record<string, unknown>> }>>;
}

/**
 * Packages of a lockfile that come from elsewhere than the registry's own address for their name and version, or without
 * a SHA-512. pnpm asks the registry about that in CI; here no registry is needed, and nothing is installed first.
 */
export function lockfileFaults(text: string): readonly string[] {
  const { packages }: Lockfile = parse(text);
  return Object.entries(packages)
    .filter(([name, { resolution }]) => !isFromRegistry(name, resolution))
    .map(([name, { resolution }]) => `${name}: ${JSON.stringify(resolution)}`);
}

function isFromRegistry(name: string, { integrity, ...others }: Readonly<Record<string, unknown>>): boolean {
  const version = name.slice(name.lastIndexOf('@') + 1);
  return (
    /^\d+\.\d+\.\d+[\w.+-]*$/.test(version) &&
    typeof integrity === 'string' &&
    /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) &&
    Object.keys(others).length === 0
  );
}
