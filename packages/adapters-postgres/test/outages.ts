import { type Faults, postgresHarness } from '@plant-store/adapters-postgres/harness';
import { clausesThatNeed } from '@plant-store/contracts-stores';
import { type DedicatedServer, freshDatabase, runSql } from '@plant-store/testing-postgres';

export const aboutOutages = clausesThatNeed('external', postgresHarness(''));
export const aboutCrashes = clausesThatNeed('survivesServerCrash', postgresHarness(''));

/** The server closes all connections to the database and rejects new ones. Works on any server. */
export const closing: Faults = {
  async startOutage(url) {
    const from = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    const allow = (whether: boolean) => runSql(from, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${whether}`);
    await allow(false);
    await runSql(from, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    return async () => void (await allow(true));
  },
};

/** The server is killed and restarted. */
export function killing({ kill, start }: DedicatedServer): Faults {
  const killServer = async () => {
    await kill();
    return start;
  };
  return { startOutage: killServer, killServer };
}

/** The server's processes are paused and resumed. */
export function freezing({ pause, resume }: DedicatedServer): Faults {
  return {
    async startOutage() {
      await pause();
      return resume;
    },
  };
}
