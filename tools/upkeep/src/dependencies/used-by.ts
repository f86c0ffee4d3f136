import type { Package } from '../boundaries/workspace.ts';

/**
 * Every package from elsewhere that a manifest names, and who is installed with it: the short names of the packages,
 * sorted, or `tests` where only devDependencies name it.
 */
export function usedBy(packages: readonly Package[]): ReadonlyMap<string, string> {
  const users = new Map<string, Set<string>>();
  const ours = new Set(packages.map(({ manifest }) => manifest.name));
  for (const { folder, manifest } of packages) {
    const who = folder === '' ? 'workspace' : manifest.name.replace(/^@.+\//, '');
    const add = (names: Readonly<Record<string, string>> = {}, user: string) => {
      for (const name of Object.keys(names))
        if (!ours.has(name)) users.set(name, (users.get(name) ?? new Set()).add(user));
    };
    add(manifest.dependencies, who);
    add(manifest.optionalDependencies, who);
    add(manifest.devDependencies, folder === '' ? who : 'tests');
  }
  return new Map([...users].map(([name, all]) => [name, installed(all)]));
}

function installed(users: ReadonlySet<string>): string {
  const withoutTests = [...users].filter((user) => user !== 'tests').toSorted();
  return withoutTests.join(', ') || 'tests';
}
