import { isInstalled, runSql, startDedicatedServer } from '@plant-store/testing-mysql';
import type { DatabaseServer } from './database-server.ts';

/** Why there is no server for a run; undefined if there is one. */
export function missingMysql(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment['BENCH_MYSQL_URL'] || isInstalled()) return undefined;
  return 'there is no mariadbd: install mariadb-server, or set BENCH_MYSQL_URL';
}

/**
 * The server that `BENCH_MYSQL_URL` names, otherwise the `mariadbd` that is installed, on a port of its own.
 *
 * @throws {Error} if commits are not synced to disk: its figures would not be comparable.
 */
export async function useMysql(environment: NodeJS.ProcessEnv): Promise<DatabaseServer> {
  const given = environment['BENCH_MYSQL_URL'];
  const server = given ? { url: given, stop: async () => {} } : await startDedicatedServer();
  try {
    const [row] = await runSql(server.url, 'select version() as version, @@innodb_flush_log_at_trx_commit as flush');
    if (String(row?.['flush']) !== '1')
      throw new Error(
        'this server does not sync its commits: set innodb_flush_log_at_trx_commit=1, or unset BENCH_MYSQL_URL',
      );
    const which = given ? 'given by BENCH_MYSQL_URL' : 'installed';
    return { ...server, description: `${row?.['version']} (${which}), innodb_flush_log_at_trx_commit=1` };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
