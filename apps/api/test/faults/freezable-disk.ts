import { execFileSync } from 'node:child_process';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchDirectory } from '@plant-store/testing-servers';
import { onTestFinished, vi } from 'vitest';

/** A disk that can be made to hang. */
export interface FreezableDisk {
  readonly directory: string;
  /** From now on whoever writes to it hangs in the system call, where not even SIGKILL ends a process. */
  freeze(): void;
  thaw(): void;
}

/**
 * Mounts an ext4 file system of 64 MiB until the test is finished.
 *
 * @throws {Error} if this process may not mount.
 */
export async function mountFreezableDisk(): Promise<FreezableDisk> {
  const home = await scratchDirectory(onTestFinished);
  const image = join(home, 'image');
  await writeFile(image, '');
  await truncate(image, 64 * 1024 * 1024);
  const directory = join(home, 'mounted');
  try {
    run('mkfs.ext4', '-q', '-F', image);
    run('mount', '--mkdir', '-o', 'loop', image, directory);
  } catch (cause) {
    throw new Error('mounting a disk requires root: run this test as root, on Linux', { cause });
  }
  let isFrozen = false;
  const set = (frozen: boolean) => {
    if (frozen !== isFrozen) run('fsfreeze', frozen ? '-f' : '-u', directory);
    isFrozen = frozen;
  };
  onTestFinished(async () => {
    set(false);
    // What hung until now needs a moment to end.
    await vi.waitFor(() => run('umount', directory), { timeout: 10_000 });
  });
  return { directory, freeze: () => set(true), thaw: () => set(false) };
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}
