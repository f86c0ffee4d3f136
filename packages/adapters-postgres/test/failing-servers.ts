import { freshDatabase, runSql, startDedicatedServer } from '@plant-store/testing-postgres';

/** A server, and the way in which it fails. */
export interface FailingServer {
  /** Where it is not the one that the whole run shares. */
  readonly url?: string;
  /** Makes it fail for a database; resolves with what ends that. */
  startOutage(database: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** By what happens to it. Whatever server the run shares can close a database; a dedicated one fails for real. */
export const failingServers: Readonly<Record<string, () => Promise<FailingServer>>> = {
  'that closes the database': async () => ({ startOutage: closeDatabase, stop: async () => {} }),

  'that is killed': async () => {
    const server = await startDedicatedServer();
    const startOutage = async () => {
      await server.kill();
      return server.start;
    };
    return { url: server.url, startOutage, stop: server.stop };
  },

  'that freezes': async () => {
    const server = await startDedicatedServer();
    const startOutage = async () => {
      await server.pause();
      return server.resume;
    };
    return { url: server.url, startOutage, stop: server.stop };
  },
};

/** Cuts off all who use the database, and lets nobody in. */
async function closeDatabase(url: string): Promise<() => Promise<void>> {
  const from = await freshDatabase();
  const name = new URL(url).pathname.slice(1);
  const allow = (whether: boolean) => runSql(from, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${whether}`);
  await allow(false);
  await runSql(from, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  return async () => void (await allow(true));
}
