import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnTestFinished } from './listening.ts';

/** A new directory that is removed at the end of the test that made it. */
export async function scratchDirectory(onTestFinished: OnTestFinished): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
