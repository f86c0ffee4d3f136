import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { keepsHttpContract } from './keeps-http-contract.ts';
import { scratchDirectory } from './running-service.ts';

keepsHttpContract('memory', async () => 'memory:');
keepsHttpContract('sqlite', async () => `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`);
