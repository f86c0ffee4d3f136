import { join } from 'node:path';
import { storageAdapters } from '../../src/stores/index.ts';

/** Every engine that needs no server, and the URL of a place in a directory, which has nothing else in it. */
export const storesWithoutServer: readonly { engine: string; url: (directory: string) => string }[] = storageAdapters
  .filter(({ form }) => !form.includes('//'))
  .map(({ form }) => ({
    engine: form.replace(/:.*/, ''),
    url: (directory) => form.replace('<path>', join(directory, 'plants.db')),
  }));
