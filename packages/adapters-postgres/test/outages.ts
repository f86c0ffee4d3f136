import { storeHarness } from '@plant-store/adapters-postgres/harness';
import { clausesThatNeed, type ServerFaults } from '@plant-store/contracts-stores';
import { type DedicatedServer, runSql } from '@plant-store/testing-postgres';
import { expect, vi } from 'vitest';

export const aboutOutages = clausesThatNeed('external', storeHarness(''));
export const aboutCrashes = clausesThatNeed('survivesServerCrash', storeHarness(''));

/** The server is killed and restarted. */
export function killing({ url, kill, start }: DedicatedServer): ServerFaults {
  const killServer = async () => {
    await kill();
    return start;
  };
  const failCommits = async () => {
    await waitForStandby(url, 'none');
    return () => waitForStandby(url, '');
  };
  return { startOutage: killServer, killServer, failCommits };
}

/** From now on a commit waits for a standby: for one that does not exist, or with an empty name for none. */
export async function waitForStandby(url: string, name: string): Promise<void> {
  await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await runSql(url, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () =>
    expect(await runSql(url, 'SHOW synchronous_standby_names')).toEqual([{ synchronous_standby_names: name }]),
  );
}
