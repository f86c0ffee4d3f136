import { runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import type { DatabaseServer } from './database-server.ts';

/**
 * The server that `BENCH_DATABASE_URL` names, otherwise an embedded one.
 *
 * @throws {Error} if commits are not synced to disk: its figures would not be comparable.
 */
export async function usePostgres(environment: NodeJS.ProcessEnv): Promise<DatabaseServer> {
  const given = environment['BENCH_DATABASE_URL'];
  const server = given ? { url: given, stop: async () => {} } : await startDedicatedServer();
  try {
    const settings = await durabilityOf(server.url);
    const [row] = await runSql(server.url, 'SHOW server_version');
    const which = given ? 'given by BENCH_DATABASE_URL' : 'embedded';
    return {
      ...server,
      description: `PostgreSQL ${row?.['server_version']} (${which}), ${settings.map(([name, value]) => `${name}=${value}`).join(', ')}`,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const required = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;

async function durabilityOf(url: string): Promise<readonly (readonly [string, string])[]> {
  const settings = await Promise.all(
    required.map(async (name) => [name, String((await runSql(url, `SHOW ${name}`))[0]?.[name])] as const),
  );
  const off = settings.filter(([name, value]) => !durable(name, value));
  if (off.length === 0) return settings;
  throw new Error(
    `this PostgreSQL does not sync its commits (${off.map(([name, value]) => `${name}=${value}`).join(', ')}): set them to on, or unset BENCH_DATABASE_URL`,
  );
}

/** `remote_write` and `remote_apply` also sync on this server, and wait for a standby; `local` only syncs. */
function durable(name: string, value: string): boolean {
  return name === 'synchronous_commit' ? value !== 'off' : value === 'on';
}
