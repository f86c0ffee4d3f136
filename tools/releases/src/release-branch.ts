import type { Branch } from './branch.ts';
import { manifestWithout } from './manifest-without.ts';

/** The branch is what `changeset version` makes: changesets are gone, and only CHANGELOGs and versions have changed. */
export function isRelease({ changedFiles, before, after }: Branch): boolean {
  const isSpent = (file: string) => /^\.changeset\/[^/]+\.md$/.test(file) && after(file) === '';
  const isVersion = (file: string) =>
    /(^|\/)package\.json$/.test(file) && withoutVersion(before(file)) === withoutVersion(after(file));
  const isChangelog = (file: string) => /(^|\/)CHANGELOG\.md$/.test(file);
  return (
    changedFiles.some(isSpent) && changedFiles.every((file) => isSpent(file) || isVersion(file) || isChangelog(file))
  );
}

function withoutVersion(manifest: string): string {
  return manifestWithout(manifest, ['version']);
}
