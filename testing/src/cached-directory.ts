import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Fills a directory with what a program makes, such as the files of a new database. It runs once: the next time, in this
 * run or another, they are copied, for a tenth of the CPU.
 *
 * @param program another file, as after an update, makes something else.
 * @param directory does not exist yet.
 */
export async function cachedDirectory(
  directory: string,
  program: string,
  parameters: readonly string[],
  make: () => Promise<void>,
): Promise<void> {
  const { size, mtimeMs } = statSync(program);
  const hash = createHash('sha256').update(JSON.stringify([program, size, mtimeMs, parameters]));
  const entry = join(CACHE, `${basename(program)}-${hash.digest('hex')}`);
  if (existsSync(entry)) return cpSync(entry, directory, { recursive: true });
  await make();
  const copy = `${entry}.${randomUUID()}`;
  try {
    mkdirSync(CACHE, { recursive: true });
    cpSync(directory, copy, { recursive: true });
    renameSync(copy, entry);
  } catch {
    // Another process was first, or the disk is full, or the checkout somebody else's: it is made again.
    rmSync(copy, { recursive: true, force: true });
  }
}

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/test-servers');
