import { parseChangesetFile } from '@changesets/parse';
import type { Branch } from './branch.ts';
import { manifestWithout } from './manifest-without.ts';
import type { WorkspacePackage } from './workspace.ts';

/**
 * The branch is what `changeset version` makes: changesets are gone, each package that they name has another version and
 * a line in its CHANGELOG, and nothing else has changed.
 */
export function isRelease(branch: Branch, packages: readonly WorkspacePackage[]): boolean {
  const { changedFiles, before, after } = branch;
  const isVersion = (file: string) =>
    /(^|\/)package\.json$/.test(file) && withoutVersion(before(file)) === withoutVersion(after(file));
  const isChangelog = (file: string) => /(^|\/)CHANGELOG\.md$/.test(file);
  const deleted = deletedChangesets(branch);
  return (
    deleted.length > 0 &&
    changedFiles.every((file) => deleted.includes(file) || isVersion(file) || isChangelog(file)) &&
    packages.every((each) => lostChangesets(branch, each).length === 0)
  );
}

/** The files of the changesets that name a package and are gone, though the branch has not released the package. */
export function lostChangesets(branch: Branch, { name, folder }: WorkspacePackage): readonly string[] {
  const { changedFiles, before, after } = branch;
  const manifest = `${folder}/package.json`;
  const isReleased =
    versionOf(before(manifest)) !== versionOf(after(manifest)) && changedFiles.includes(`${folder}/CHANGELOG.md`);
  return isReleased ? [] : deletedChangesets(branch).filter((file) => releasedBy(before(file)).includes(name));
}

function deletedChangesets({ changedFiles, after }: Branch): readonly string[] {
  return changedFiles.filter((file) => /^\.changeset\/[^/]+\.md$/.test(file) && after(file) === '');
}

function releasedBy(changeset: string): readonly string[] {
  const { releases } = parseChangesetFile(changeset);
  return releases.filter(({ type }) => type !== 'none').map(({ name }) => name);
}

function versionOf(manifest: string): unknown {
  return manifest === '' ? undefined : JSON.parse(manifest).version;
}

function withoutVersion(manifest: string): string {
  return manifestWithout(manifest, ['version']);
}
