import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Fills a directory with the files that a program makes, such as those of a new database. Later calls, also of other runs, copy them
 * for a tenth of the CPU.
 *
 * @param directory must not exist.
 * @param program the program's file. After an update it runs again.
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
    // Another process was first, or the cache cannot be written. The next call runs the program again.
    rmSync(copy, { recursive: true, force: true });
  }
}

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/test-servers');
