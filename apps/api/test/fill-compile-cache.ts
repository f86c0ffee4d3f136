import { existsSync } from 'node:fs';
import { environmentOfTheRun, startService } from './running-service.ts';

/**
 * Starts and stops one service where the compile cache is empty, as in a new clone. A process writes what it has compiled
 * as it exits, hundreds of files: of a dozen that do it at once on two cores some take over 3 s.
 */
export async function setup(): Promise<void> {
  const { NODE_COMPILE_CACHE } = environmentOfTheRun();
  if (!NODE_COMPILE_CACHE || existsSync(NODE_COMPILE_CACHE)) return;
  await (await startService({ DATABASE_URL: 'memory:', SHUTDOWN_DELAY_MS: '0' })).stop();
}
