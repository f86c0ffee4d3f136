import { storeHarness } from '@plant-store/adapters-mysql/harness';
import { clausesThatNeed, type ServerFaults } from '@plant-store/contracts-stores';
import type { DedicatedServer } from '@plant-store/testing-mysql';
import { hold } from './open-store.ts';

export const aboutOutages = clausesThatNeed('external', storeHarness(''));
export const aboutCrashes = clausesThatNeed('survivesServerCrash', storeHarness(''));

/** The server is killed and restarted. */
export function killing({ url, kill, start }: DedicatedServer): ServerFaults {
  const killServer = async () => {
    await kill();
    return start;
  };
  // Reads succeed, commits wait.
  const failCommits = async () => (await hold(url, 'flush tables with read lock')).letGo;
  return { startOutage: killServer, killServer, failCommits };
}
