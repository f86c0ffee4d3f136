import { type DedicatedServer, freshDatabase, runSql } from '@plant-store/testing-postgres';

/** Makes a database unable to answer; resolves with what ends that. */
export type Outage = (databaseUrl: string) => Promise<() => Promise<void>>;

/** The server cuts off all who use the database, and lets nobody in. Any server can do that, whoever runs it. */
export const closingOf: Outage = async (url) => {
  const from = await freshDatabase();
  const name = new URL(url).pathname.slice(1);
  const allow = (whether: boolean) => runSql(from, `ALTER DATABASE ${name} ALLOW_CONNECTIONS ${whether}`);
  await allow(false);
  await runSql(from, 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  return async () => void (await allow(true));
};

/** The server is killed, and started again. */
export function killingOf(server: DedicatedServer): Outage {
  return async () => {
    await server.kill();
    return server.start;
  };
}

/** The server's processes stop in their tracks, and go on. */
export function freezingOf(server: DedicatedServer): Outage {
  return async () => {
    await server.pause();
    return server.resume;
  };
}
