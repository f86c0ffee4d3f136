import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeHttpContract } from './describe-http-contract.ts';
import { scratchDirectory } from './running-service.ts';

const directory = await scratchDirectory(afterAll);

/** The stores that need no server, by the URL of a place in a directory, which has nothing else in it; memory is verify's. */
const stores: Readonly<Record<string, (directory: string) => string>> = {
  sqlite: (directory) => `sqlite:${join(directory, 'plants.db')}`,
};

for (const [engine, url] of Object.entries(stores))
  describeHttpContract(engine, async () => url(await mkdtemp(join(directory, `${engine}-`))));
