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
