import type { Branch } from './branch.ts';
import { packedManifest, settingsFile } from './packed-manifest.ts';

/** What a branch changes of what the users of a package get. `packed` is "files" of its package.json. */
export function shippedChanges(
  { changedFiles, before, after }: Branch,
  folder: string,
  packed: readonly string[],
): readonly string[] {
  const manifest = `${folder}/package.json`;
  const now = packedManifest(after(manifest), after(settingsFile));
  // What moves from one of the two into the other has not changed.
  const isOther = packedManifest(before(manifest), before(settingsFile)) !== now;
  return changedFiles.filter((file) => {
    if (file === settingsFile) return isOther && packedManifest(after(manifest), before(settingsFile)) !== now;
    if (file === manifest) return isOther && packedManifest(before(manifest), after(settingsFile)) !== now;
    if (!file.startsWith(`${folder}/`)) return false;
    const path = file.slice(folder.length + 1);
    return path === 'README.md' || packed.some((each) => path === each || path.startsWith(`${each}/`));
  });
}
