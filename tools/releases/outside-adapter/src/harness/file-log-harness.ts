import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PreparedStore, StoreHarness } from '@plant-store/contracts-stores';
import { startAdder } from '@plant-store/contracts-stores/crash';
import { fileLogCapabilities } from '../capabilities.ts';
import { exportFileLog, openFileLog } from '../store.ts';

/** Each place is a file of its own, in a directory beside the file at the URL. */
export function fileLogHarness(beside: string): StoreHarness {
  return { capabilities: fileLogCapabilities, prepare: () => prepare(beside) };
}

async function prepare(beside: string): Promise<PreparedStore> {
  const directory = await mkdtemp(join(dirname(beside.slice('file-log:'.length)), 'plants on file-log.'));
  const url = `file-log:${join(directory, 'plants.log')}`;
  return {
    open: (observer) => openFileLog({ url, maxWaitMs: 60_000, ...(observer && { observer }) }),
    dispose: () => rm(directory, { recursive: true, force: true }),
    export: () => exportFileLog(url),
    async addUntilKilled(plants) {
      await using adder = startAdder(join(import.meta.dirname, 'add-plants'), { options: { url }, plants });
      return await adder.acknowledgedBeforeKill;
    },
  };
}
