import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ScratchCopy, scratchCopy } from '../scratch-copy.ts';

/** One for all the tests of a group, removed behind them. */
export function copyForThese(): () => ScratchCopy {
  const path = join(tmpdir(), `plant-store-${randomUUID()}`);
  let copy: ScratchCopy;
  beforeAll(async () => {
    copy = await scratchCopy(path);
  });
  afterAll(() => rm(path, { recursive: true, force: true }));
  return () => copy;
}
