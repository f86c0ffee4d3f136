import { open } from 'node:fs/promises';
import { useCases } from '@plant-store/domain';
import type { Storage } from '@plant-store/store-kit';
import { importPlants, writeExport } from '../bulk.ts';
import { UsageError } from '../errors.ts';
import { openStore } from '../stores.ts';
import { type ConfiguredStore, notSharedError } from './store-options.ts';

/** Imports a file, `-` for standard input. The exit code is 1 if lines were rejected. */
export async function importFile(file: string, { config, storage }: ConfiguredStore): Promise<void> {
  if (!storage.export) throw notSharedError();
  await using handle = file === '-' ? undefined : await openFile(file);
  const { store } = await openStore(storage, config.MIGRATE === 'auto');
  const input = handle?.createReadStream({ highWaterMark: 256 * 1024 }) ?? process.stdin;
  try {
    const rejected = await importPlants(input, useCases(store).createPlant);
    if (rejected > 0) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

function openFile(file: string) {
  return open(file).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${code}): pass the path of a file, or - for standard input`);
  });
}

/** Exports a store to standard output. */
export async function exportStore(storage: Storage): Promise<void> {
  if (!storage.export) throw notSharedError();
  await writeExport(storage.export());
}
