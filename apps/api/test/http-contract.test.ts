import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeHttpContract } from './describe-http-contract.ts';
import { scratchDirectory } from './running-service.ts';
import { storesWithoutServer } from './stores/without-server.ts';

const directory = await scratchDirectory(afterAll);

// Memory is verified whole by plant-store verify.
for (const { engine, url } of storesWithoutServer.filter((store) => store.engine !== 'memory'))
  describeHttpContract(engine, async () => url(await mkdtemp(join(directory, `${engine}-`))));
