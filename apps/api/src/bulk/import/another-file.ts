import { stat } from 'node:fs/promises';
import { WrongUsage } from '../../usage-error.ts';

/**
 * Sees to it that the rejects do not take the place of what is imported, under whatever name.
 * @throws {WrongUsage} when they would.
 */
export async function assertAnotherFile(rejects: string, imported: string): Promise<void> {
  const paths = [rejects, imported === '-' ? '/dev/stdin' : imported];
  const [one, other] = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  if (one?.isFile() && one.ino === other?.ino && one.dev === other.dev)
    throw new WrongUsage(`${rejects} is what is imported: give another file with --rejects`);
}
