import { randomUUID } from 'node:crypto';
import { migratePostgres } from '@plant-store/adapters-postgres';
import { runSql, startDedicatedServer } from '@plant-store/testing/postgres';
import type { Table } from '../contestants/contestants.ts';

const ABOUT = `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid, current_setting('server_version')
  || ', fsync=' || current_setting('fsync') || ', synchronous_commit=' || current_setting('synchronous_commit') AS text`;

/** Starts a server with durable commits. Disposing of it stops the server. */
export async function startPostgres() {
  const server = await startDedicatedServer();
  const [about] = await runSql(server.url, ABOUT);
  return {
    about: `PostgreSQL ${about?.['text']}`,
    async newTable(): Promise<Table> {
      const name = randomUUID();
      await runSql(server.url, `CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
      const url = Object.assign(new URL(server.url), { pathname: name }).href;
      await migratePostgres({ connectionString: url });
      // A later checkpoint would make the server write full pages during the measurement.
      await runSql(url, 'CHECKPOINT');
      return {
        url,
        serverPid: Number(about?.['pid']),
        count: async () => Number((await runSql(url, 'SELECT count(*) FROM plants'))[0]?.['count']),
      };
    },
    [Symbol.asyncDispose]: server.stop,
  };
}
