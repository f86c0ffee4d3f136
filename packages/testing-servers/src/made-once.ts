import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a program makes of its parameters: the same each time. */
export interface Making {
  /** Another file, as after an update, makes something else. */
  readonly program: string;
  readonly parameters: readonly string[];
}

/**
 * Fills a directory with what a program makes, such as the files of a new database. It runs once: the next time, in this
 * run or another, they are copied, for a tenth of the CPU.
 *
 * @param kept where they are kept from run to run.
 */
export async function madeOnce(
  directory: string,
  { program, parameters }: Making,
  make: () => Promise<void>,
  kept: string = KEPT,
): Promise<void> {
  const { size, mtimeMs } = statSync(program);
  const key = createHash('sha256')
    .update(JSON.stringify([program, size, mtimeMs, parameters]))
    .digest('hex');
  const original = join(kept, key);
  if (existsSync(original)) return cpSync(original, directory, { recursive: true });
  await make();
  const copy = `${original}.${randomUUID()}`;
  try {
    mkdirSync(kept, { recursive: true });
    cpSync(directory, copy, { recursive: true });
    renameSync(copy, original);
  } catch {
    // Another process was first, or the disk is full, or the checkout somebody else's: it is made again.
    rmSync(copy, { recursive: true, force: true });
  }
}

const KEPT = join(import.meta.dirname, '../../../node_modules/.cache/test-servers');
