import type { Branch } from './branch.ts';
import { manifestWithout } from './manifest-without.ts';

/** What a branch changes of what the users of a package get. `packed` is "files" of its package.json. */
export function shippedChanges(
  { changedFiles, before, after }: Branch,
  folder: string,
  packed: readonly string[],
): readonly string[] {
  return changedFiles.filter((file) => {
    if (!file.startsWith(`${folder}/`)) return false;
    const path = file.slice(folder.length + 1);
    if (path === 'package.json') return packedManifest(before(file)) !== packedManifest(after(file));
    return path === 'README.md' || packed.some((each) => path === each || path.startsWith(`${each}/`));
  });
}

/** .pnpmfile.mjs takes the rest out when pnpm packs. */
function packedManifest(manifest: string): string {
  return manifestWithout(manifest, ['scripts', 'devDependencies']);
}
