import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratchDirectory } from './running-service.ts';
import { survivesCrashes } from './survives-crashes.ts';

survivesCrashes('sqlite', async () => `sqlite:${join(await scratchDirectory(onTestFinished), 'plants.db')}`);
