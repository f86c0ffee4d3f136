import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runSql, startDedicatedServer } from '@plant-store/testing/postgres';
import type { Database } from './contestants.ts';

const ABOUT = `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid, current_setting('server_version')
  || ', fsync=' || current_setting('fsync') || ', synchronous_commit=' || current_setting('synchronous_commit') AS text`;

/** Starts a server with durable commits. Disposing of it stops the server. */
export async function startPostgres() {
  const server = await startDedicatedServer();
  const [about] = await runSql(server.url, ABOUT);
  return {
    about: `PostgreSQL ${about?.['text']}`,
    async newDatabase(): Promise<Database> {
      const name = randomUUID();
      await runSql(server.url, `CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8'`);
      const url = Object.assign(new URL(server.url), { pathname: name }).href;
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

/** A new file, which its contestant creates. */
export function newSqliteDatabase(directory: string): Database {
  const path = join(directory, `${randomUUID()}.db`);
  return {
    url: `sqlite:${path}`,
    async count() {
      using database = new DatabaseSync(path, { timeout: 10_000 });
      return Number(database.prepare('SELECT count(*) AS count FROM plants').get()?.['count']);
    },
  };
}

/**
 * The environment of a process whose syncs take longer, as on cloud volumes. The library is compiled in the directory, which every
 * user must be able to read.
 *
 * @throws {Error} if there is no cc, or this is not Linux.
 */
export function slowSyncs(directory: string, ms: number): { readonly LD_PRELOAD?: string } {
  if (ms === 0) return {};
  const library = join(directory, 'slow-syncs.so');
  const source = join(import.meta.dirname, 'slow-syncs.c');
  const options = ['-shared', '-fPIC', `-DDELAY_MS=${ms}L`, '-o', library, source, '-ldl'];
  const { status } = spawnSync('cc', options, { stdio: 'ignore' });
  if (process.platform === 'linux' && status === 0) return { LD_PRELOAD: library };
  throw new Error('--sync-delay needs Linux and cc');
}
