import { stat } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';

/**
 * Ensures that the rejects do not overwrite the imported file, under whatever name.
 * @throws {UsageError} if they would.
 */
export async function assertAnotherFile(rejects: string, imported: string): Promise<void> {
  const paths = [rejects, imported === '-' ? '/dev/stdin' : imported];
  const [one, other] = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  if (one?.isFile() && one.ino === other?.ino && one.dev === other.dev)
    throw new UsageError(`${rejects} is the file to import: pass another file with --rejects`);
}
