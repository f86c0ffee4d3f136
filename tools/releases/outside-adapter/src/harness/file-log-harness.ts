import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { adapterHarness, type ScratchDatabase, type StoreHarness } from '@plant-store/contracts-stores';
import { fileLogCapabilities } from '../capabilities.ts';
import { exportFileLog, type FileLogOptions, openFileLog, pathOf } from '../store.ts';

/** Checks file logs in scratch directories beside the file at the URL, which is not changed. */
export function fileLogHarness(url: string): StoreHarness {
  return adapterHarness({
    capabilities: fileLogCapabilities,
    scratchLocation: 'a scratch directory beside the given file',
    scratch: () => emptyDirectory(dirname(pathOf(url))),
    migrate: async () => {},
    open: openFileLog,
    export: (options) => exportFileLog(options.url),
    opener: { module: join(import.meta.dirname, '../store'), name: 'openFileLog' },
  });
}

async function emptyDirectory(parent: string): Promise<ScratchDatabase<FileLogOptions>> {
  const directory = await mkdtemp(join(parent, 'plants on file-log.'));
  return {
    options: { url: `file-log:${join(directory, 'plants.log')}` },
    drop: () => rm(directory, { recursive: true, force: true }),
  };
}
