import { posix } from 'node:path';
import type { Installed } from './installed.ts';
import { packageBehind } from './package-behind.ts';
import type { Violation } from './violation.ts';
import type { Package } from './workspace.ts';

/** What a package gets for a name that its manifest does not say. */
export function checkInstalled(installed: readonly Installed[], packages: readonly Package[]): readonly Violation[] {
  return installed.flatMap(({ folder, name, version, line }) => {
    const owner = packages.find((each) => each.folder === folder);
    const linked = /^link:(.*)$/.exec(version)?.[1];
    const isMeant =
      linked === undefined
        ? /^\d/.test(version)
        : owner && packageBehind(name, owner, packages)?.folder === posix.join(folder, linked);
    if (isMeant) return [];
    const what = `gives ${folder || 'the workspace'} ${version} for ${name}`;
    return [{ rule: 'no-borrowed-names', path: 'pnpm-lock.yaml', line, what }];
  });
}
