import { execFileSync } from 'node:child_process';
import { chmod, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, vi } from 'vitest';

/** A disk of 64 MiB. */
export interface Disk {
  readonly directory: string;
  /** Uses up all free space. */
  fill(): void;
  /** Frees it again. */
  empty(): Promise<void>;
}

/**
 * Mounts a file system until the test is finished.
 *
 * @param leave stops what uses it and is not stopped otherwise.
 * @throws {Error} if this process may not mount.
 */
export async function mountDisk(leave: () => Promise<unknown> = async () => {}): Promise<Disk> {
  const home = await scratchDirectory(onTestFinished);
  const [image, directory] = [join(home, 'image'), join(home, 'mounted')];
  // A database server is another user.
  await chmod(home, 0o711);
  await writeFile(image, '');
  await truncate(image, 64 * 2 ** 20);
  try {
    run('mkfs.ext4', '-q', '-F', '-m', '0', image);
    run('mount', '--mkdir', '-o', 'loop', image, directory);
  } catch (cause) {
    throw new Error('mounting a disk requires root: run this test as root, on Linux', { cause });
  }
  onTestFinished(async () => {
    await leave();
    // Whoever uses it may need a moment to end.
    await vi.waitFor(() => run('umount', directory), { timeout: 10_000 });
  });
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill() {
      expect(() => run('dd', 'if=/dev/zero', `of=${ballast}`, 'bs=4k')).toThrow('No space left on device');
    },
    empty: () => rm(ballast),
  };
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}
