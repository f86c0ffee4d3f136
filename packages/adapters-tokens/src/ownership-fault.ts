import type { Stats } from 'node:fs';

/**
 * The reason why other users could change a file or directory, if any. As with ssh, it must belong to this user or to root, and
 * must not be writable by others. Systems without such users (Windows) are not checked.
 */
export function ownershipFault({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  const own = process.geteuid?.();
  if (own === undefined) return undefined;
  if (uid !== own && uid !== 0)
    return `it belongs to another user (uid ${uid}), who could change it: give it to root or to uid ${own} (chown)`;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return mode & 0o022 ? `other users may write to it (mode ${shown}): prevent that (chmod go-w)` : undefined;
}
