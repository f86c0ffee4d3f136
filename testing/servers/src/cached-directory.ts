import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** What a program makes of its parameters: the same each time. */
interface CacheKey {
  /** Another file, as after an update, makes something else. */
  readonly program: string;
  readonly parameters: readonly string[];
}

/**
 * Fills a directory with what a program makes, such as the files of a new database. It runs once: the next time, in this
 * run or another, they are copied, for a tenth of the CPU. The cache has what each program has made last.
 *
 * @param directory does not exist yet.
 */
export async function cachedDirectory(
  directory: string,
  { program, parameters }: CacheKey,
  make: () => Promise<void>,
  cacheDirectory: string = CACHE,
): Promise<void> {
  const { size, mtimeMs } = statSync(program);
  const hash = createHash('sha256').update(JSON.stringify([program, size, mtimeMs, parameters]));
  const name = `${basename(program)}-${hash.digest('hex')}`;
  const entry = join(cacheDirectory, name);
  if (existsSync(entry)) {
    try {
      return cpSync(entry, directory, { recursive: true });
    } catch {
      // Another user's, or damaged.
      rmSync(directory, { recursive: true, force: true });
    }
  }
  await make();
  const copy = `${entry}.${randomUUID()}`;
  try {
    mkdirSync(cacheDirectory, { recursive: true });
    cpSync(directory, copy, { recursive: true });
    // Not the unfinished copies of the same: other processes may be making them.
    const outdated = readdirSync(cacheDirectory).filter(
      (each) => each.startsWith(`${basename(program)}-`) && !each.startsWith(name),
    );
    for (const each of outdated) rmSync(join(cacheDirectory, each), { recursive: true, force: true });
    renameSync(copy, entry);
  } catch {
    // Another process was first, or the disk is full, or the checkout somebody else's: it is made again.
    rmSync(copy, { recursive: true, force: true });
  }
}

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/test-servers');
