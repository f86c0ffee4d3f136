import { join } from 'node:path';
import { afterAll } from 'vitest';
import { keepsHttpContract } from './keeps-http-contract.ts';
import { scratchDirectory } from './running-service.ts';

const directory = await scratchDirectory(afterAll);

keepsHttpContract('memory', async () => 'memory:');
keepsHttpContract('sqlite', async () => `sqlite:${join(directory, 'plants.db')}`);
