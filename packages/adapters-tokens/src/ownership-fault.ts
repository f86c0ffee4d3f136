import type { Stats } from 'node:fs';

/**
 * Why a file or a directory is not safe from other users, if it is not: as with ssh, it has to belong to the user of this
 * process or to root, and nobody else may write to it. Where there are no such users (Windows), nothing is wrong.
 */
export function ownershipFault({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  if (uid !== own && uid !== 0)
    return `it belongs to another user (uid ${uid}), who could change it: give it to root or to uid ${own} (chown)`;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return mode & 0o022 ? `other users may write to it (mode ${shown}): prevent that (chmod go-w)` : undefined;
}
