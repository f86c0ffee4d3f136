import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory that any user may write to, until the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const path = await makeDirectory();
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** An empty directory that any user may write to; the caller removes it. */
export async function makeDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'));
  // Past the umask, for the tests that run as an ordinary user.
  await chmod(path, 0o777);
  return path;
}
