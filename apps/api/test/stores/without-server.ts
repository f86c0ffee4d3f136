import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storageAdapters } from '../../src/stores/index.ts';
import { scratchDirectory } from '../running-service.ts';

/** Every engine that needs no server, and the URL of a place in a directory, which has nothing else in it. */
export const storesWithoutServer: readonly { engine: string; url: (directory: string) => string }[] = storageAdapters
  .filter(({ form }) => !form.includes('//'))
  .map(({ form }) => ({
    engine: form.replace(/:.*/, ''),
    url: (directory) => form.replace('<path>', join(directory, 'plants.db')),
  }));

/** Defines tests for each of them. */
export async function onEveryStoreWithoutServer(
  define: (engine: string, freshDatabase: () => Promise<string>) => void,
): Promise<void> {
  const directory = await scratchDirectory(afterAll);
  for (const { engine, url } of storesWithoutServer)
    define(engine, async () => url(await mkdtemp(join(directory, `${engine}-`))));
}
