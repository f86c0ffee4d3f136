import { existsSync } from 'node:fs';
import { environmentOfTheRun } from './running-process.ts';
import { startService } from './running-service.ts';

/**
 * Starts and stops one service where the compile cache is empty, as in a new clone. A process writes what it has compiled
 * as it exits, hundreds of files: of a dozen that do it at once on two cores some take over 3 s, after which a service that
 * shuts down is killed.
 */
export async function setup(): Promise<void> {
  const { NODE_COMPILE_CACHE } = environmentOfTheRun();
  if (!NODE_COMPILE_CACHE || existsSync(NODE_COMPILE_CACHE)) return;
  const service = await startService({ DATABASE_URL: 'memory:', SHUTDOWN_DELAY_MS: '0' });
  service.process.kill('SIGTERM');
  await service.ended;
}
