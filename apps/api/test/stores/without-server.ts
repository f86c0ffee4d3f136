import { join } from 'node:path';
import { engines } from '../../src/stores/engines.ts';

/** Every engine that needs no server, and the URL of a place in a directory, which has nothing else in it. */
export const storesWithoutServer: readonly { engine: string; url: (directory: string) => string }[] = engines
  .filter(({ form }) => !form.includes('//'))
  .map(({ form }) => ({
    engine: form.replace(/:.*/, ''),
    url: (directory) => form.replace('<path>', join(directory, 'plants.db')),
  }));
