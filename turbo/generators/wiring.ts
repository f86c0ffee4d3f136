/** The configuration of dependency-cruiser with a row for a new package in its list of technologies, which is sorted. */
export function withTechnologies(config: string, name: string, technologies: readonly string[]): string {
  const [list = ''] = /(?<=^const technologies = \{\n)(?: {2}.*\n)+/m.exec(config) ?? [];
  const row = `  '${name}': [${technologies.map((each) => `'${each}'`).join(', ')}],`;
  return config.replace(list, () => `${[...list.trimEnd().split('\n'), row].toSorted().join('\n')}\n`);
}

/** A manifest with a package of the workspace among its dependencies, which are sorted. */
export function withWorkspacePackage(
  manifest: string,
  kind: 'dependencies' | 'devDependencies',
  name: string,
  version = 'workspace:*',
): string {
  const parsed = JSON.parse(manifest);
  const all = Object.entries({ ...parsed[kind], [name]: version });
  return json({ ...parsed, [kind]: Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1))) });
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
