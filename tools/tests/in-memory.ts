import { accessSync, constants, statfsSync } from 'node:fs';

/**
 * The directory of a file system in memory, for data that nobody needs after the run: a new database is hundreds of files,
 * which on a disk cost up to ten times the CPU. Linux has one; undefined where it cannot be used.
 *
 * @param gibibytes that have to be free in it, and in memory.
 */
export function inMemory(gibibytes: number): string | undefined {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) > gibibytes * 2 ** 30 ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}

const MEMORY = '/dev/shm';
