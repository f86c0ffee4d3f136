/**
 * The lockfile with an entry for a new package. pnpm would write it, too, but only with the registry's help, even for
 * versions that are installed. The entry is the model's, without what the new package does not depend on.
 *
 * @param model the folder of a package that has all those dependencies.
 */
export function withEntry(lockfile: string, folder: string, dependencies: readonly string[], model: string): string {
  const entryOfModel = new RegExp(`^ {2}${model}:\n(?: {4}.*\n)+`, 'm').exec(lockfile)?.[0] ?? '';
  const entry = entryOfModel
    .replace(model, folder)
    .replace(/^ {6}'?([^':]+)'?:\n(?: {8}.*\n)+/gm, (each, name) => (dependencies.includes(name) ? each : ''));
  // pnpm keeps entries sorted, and would move it there at the next occasion.
  const next = [...lockfile.matchAll(/^ {2}(packages\/.+):$/gm)].find(([, each = '']) => each > folder);
  const at = next?.index ?? lockfile.indexOf('\npackages:\n');
  return `${lockfile.slice(0, at)}${entry}\n${lockfile.slice(at)}`;
}

/** The lockfile with a package of the workspace, in `packages`, among the dependencies of an importer that has such. */
export function withLink(
  lockfile: string,
  importer: string,
  kind: 'dependencies' | 'devDependencies',
  name: string,
): string {
  const start = lockfile.indexOf(`    ${kind}:\n`, lockfile.indexOf(`\n  ${importer}:\n`));
  const [whole, block = ''] = /^ {4}\w+:\n((?: {6}.*\n)+)/.exec(lockfile.slice(start)) ?? [''];
  const to = `${importer.startsWith('packages/') ? '' : '../packages/'}${name.replace(/.*\//, '')}`;
  const link = `      '${name}':\n        specifier: workspace:*\n        version: link:../${to}\n`;
  const entries = block.match(/^ {6}\S.*\n(?: {8}.*\n)+/gm) ?? [];
  const bare = (entry: string) => /^ *'?([^':]+)/.exec(entry)?.[1] ?? '';
  const sorted = [...entries, link].toSorted((a, b) => (bare(a) < bare(b) ? -1 : 1));
  return `${lockfile.slice(0, start)}    ${kind}:\n${sorted.join('')}${lockfile.slice(start + whole.length)}`;
}
