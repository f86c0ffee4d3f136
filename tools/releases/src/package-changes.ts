// Asks for a changeset for each package of which a branch changes what its users get, or deletes what they were to be told,
// or for an empty one. The branch of a release is what `changeset version` has made, and needs none.
//
//   npx -y pnpm@12 package-changes <commit that the branch began at>

import { readChangesets } from '@changesets/read';
import { say } from './annotation.ts';
import { branchSince } from './branch.ts';
import { isRelease, lostChangesets } from './release-branch.ts';
import { shippedChanges } from './shipped-changes.ts';
import { versionedPackages } from './workspace.ts';

const remedy =
  'no changeset of this branch names it: run "npx -y pnpm@12 changeset", with "--empty" where no user can see the change, and commit the file that it writes';
const directory = process.cwd();
const [base = ''] = process.argv.slice(2);
try {
  process.exitCode = await compare();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function compare(): Promise<number> {
  const branch = branchSince(directory, base);
  const packages = versionedPackages(directory);
  if (isRelease(branch, packages)) {
    process.stdout.write('a release: changesets have become versions and CHANGELOGs, and nothing else has changed\n');
    return 0;
  }
  // A new package comes with its version.
  const older = packages.filter(({ folder }) => branch.before(`${folder}/package.json`) !== '');
  const changesets = await readChangesets(directory, base);
  const named = new Set(changesets.flatMap(({ releases }) => releases.map(({ name }) => name)));
  const changes = older
    .map((each) => ({
      name: each.name,
      files: [...shippedChanges(branch, each.folder, each.files), ...lostChangesets(branch, each)],
    }))
    .filter(({ files }) => files.length > 0);
  const isExcused = changesets.some(({ releases }) => releases.length === 0);
  const unnamed = isExcused ? [] : changes.filter(({ name }) => !named.has(name));
  const unknown = [...named].filter((name) => !packages.some((each) => each.name === name));

  for (const { name, files } of unnamed)
    say({ kind: 'error', title: name, file: files[0], message: [remedy, ...files].join('\n  changed file: ') });
  for (const name of unknown) process.stdout.write(`${name}: has no versions: take it out of the changeset\n`);
  process.stdout.write(`changed packages: ${changes.length}, without a changeset: ${unnamed.length}\n`);
  return unnamed.length + unknown.length > 0 ? 1 : 0;
}
