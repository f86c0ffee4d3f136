import { runSql } from './run-sql.ts';
import type { StartedServer } from './started-server.ts';

/**
 * Uses a server that is already running; the run's databases are dropped again at the end.
 *
 * @throws {Error} that says what to do if the URL is not of a server on which the run may create databases.
 */
export async function useGivenServer(url: string, databasePrefix: string): Promise<StartedServer> {
  try {
    if (!URL.canParse(url)) throw new Error('it is not a URL');
    const [role] = await runSql(
      url,
      'SELECT rolsuper OR rolcreatedb AS allowed FROM pg_roles WHERE rolname = current_user',
    );
    if (!role?.['allowed']) throw new Error('its user may not create databases');
  } catch (cause) {
    // Without the URL: it holds a password.
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new Error(
      `TEST_DATABASE_URL cannot be used (${reason}): set it to postgres://user:password@host:port/database of a server on which the user may create databases, or unset it`,
      { cause },
    );
  }
  return { url, description: 'TEST_DATABASE_URL', stop: () => dropDatabases(url, databasePrefix) };
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const databases = await runSql(url, 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
  for (const { datname } of databases) await runSql(url, `DROP DATABASE ${datname} WITH (FORCE)`);
}
