import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStorage } from '@plant-store/adapters-sqlite';
import { onTestFinished } from 'vitest';

/** Creates an empty directory until the test ends. */
export async function temporaryDirectory(onEnd: (end: () => Promise<void>) => void = onTestFinished): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'plant-store-sqlite-'));
  onEnd(() => rm(path, { recursive: true }));
  return path;
}

/** Creates a migrated file without plants, until the test ends. */
export async function migratedFile(): Promise<string> {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  await sqliteStorage({ path }).migrate();
  return path;
}
