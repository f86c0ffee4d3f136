import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { httpContract } from '@plant-store/contracts-http';
import { afterAll } from 'vitest';
import { describeHttpContract } from './describe-http-contract.ts';
import { scratchDirectory } from './running-service.ts';
import { storesWithoutServer } from './stores/without-server.ts';

const directory = await scratchDirectory(afterAll);
const all = httpContract.clauses.map(({ id }) => id);

for (const { engine, url } of storesWithoutServer)
  describeHttpContract(
    engine,
    async () => url(await mkdtemp(join(directory, `${engine}-`))),
    engine === 'memory' ? all : undefined,
  );
