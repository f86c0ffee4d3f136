import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whether two paths lead to one file, under whatever names and links, or would once both exist. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([identityOf(one), identityOf(other)]);
  return a !== undefined && a === b;
}

/** Undefined if it cannot exist, or is not a regular file: writing to a pipe or a device replaces nothing. */
async function identityOf(path: string): Promise<string | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  if (stats) return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
  const directory = await realpath(dirname(path)).catch(() => undefined);
  return directory && join(directory, basename(path));
}
