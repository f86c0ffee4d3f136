import { join } from 'node:path';
import { afterAll } from 'vitest';
import { storageAdapters } from '../src/stores/index.ts';
import { describeHttpContract } from './describe-http-contract.ts';
import { scratchDirectory } from './running-service.ts';

/** A store without a server has the path of a file in its URL, or nothing. */
const withoutServer = storageAdapters.filter(({ form }) => !form.includes('//'));
const directory = await scratchDirectory(afterAll);

for (const { form } of withoutServer)
  describeHttpContract(form, async () => form.replace('<path>', join(directory, 'plants.db')));
