import { existsSync, statfsSync } from 'node:fs';

/**
 * The directory of a file system in memory, for data that nobody needs after the run: a new database is hundreds of files,
 * which on a disk cost up to ten times the CPU. Linux has one; it is left out where it has no room for a run's databases.
 */
export function inMemory(): readonly string[] {
  if (!existsSync(MEMORY)) return [];
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM ? [MEMORY] : [];
}

const MEMORY = '/dev/shm';

/** 4 GiB: a whole run's take less than half of that. */
const ROOM = 4 * 2 ** 30;
