import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrate } from '../src/migrator.ts';

/** Creates an empty directory that any user may write to, until the test ends. */
export async function temporaryDirectory(onEnd: (end: () => Promise<void>) => void = onTestFinished): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'));
  // mkdtemp makes it private to its owner.
  await chmod(path, 0o777);
  onEnd(() => rm(path, { recursive: true }));
  return path;
}

/** Creates a migrated file without plants, until the test ends. */
export async function migratedFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  // Not by migrateSqlite, whose process would take ten times as long.
  await migrate(path, 10_000);
  return path;
}
