import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrate } from '../src/migrator.ts';

/** An empty directory that any user may write to, until the test is over. */
export async function temporaryDirectory(onEnd: (end: () => Promise<void>) => void = onTestFinished): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'));
  // Past the umask, for the tests that run as an ordinary user.
  await chmod(path, 0o777);
  onEnd(() => rm(path, { recursive: true }));
  return path;
}

/** The path of a migrated file without plants, until the test is over. */
export async function migratedFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  // In this process, which takes a tenth of the time.
  await migrate(path, 10_000);
  return path;
}
