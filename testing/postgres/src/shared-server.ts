import { chosenServer, type StartedServer, startContainer } from '@plant-store/testing-servers';
import { container } from './container.ts';
import { startDedicatedServer } from './embedded-server.ts';
import type { ProvidedPostgres } from './provided.ts';
import { runSql } from './run-sql.ts';

/** The PostgreSQL that a run shares. */
export interface SharedServer extends ProvidedPostgres, StartedServer {
  /** As the server reports it, such as `18.4`. */
  readonly version: string;
}

/**
 * `TEST_DATABASE_URL` if it is set; else a container, if there is a Docker engine; else the embedded server. If
 * `TEST_POSTGRES_IMAGE` is set, only a container of that image.
 *
 * @throws {Error} that says what to do if none of them can be used. Never falls back from an explicit setting.
 */
export async function startSharedServer(environment: NodeJS.ProcessEnv): Promise<SharedServer> {
  const { databasePrefix, started } = await chosenServer(environment, {
    variables: { url: 'TEST_DATABASE_URL', image: 'TEST_POSTGRES_IMAGE' },
    scheme: 'postgres',
    container,
    check,
    dropDatabases,
    startDefault,
  });
  const [row] = await runSql(
    started.url,
    "SELECT current_setting('server_version') AS version, current_setting('fsync')::boolean AS fsync",
  );
  return { ...started, databasePrefix, version: String(row?.['version']), fsync: row?.['fsync'] === true };
}

async function check(url: string): Promise<void> {
  if (!URL.canParse(url)) throw new Error('it is not a URL');
  const [role] = await runSql(
    url,
    'SELECT rolsuper OR rolcreatedb AS allowed FROM pg_roles WHERE rolname = current_user',
  );
  if (!role?.['allowed']) throw new Error('its user may not create databases');
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const databases = await runSql(url, 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
  for (const { datname } of databases) await runSql(url, `DROP DATABASE ${datname} WITH (FORCE)`);
}

async function startDefault(): Promise<StartedServer> {
  const contained = await startContainer('postgres:18-alpine', container);
  if ('url' in contained) return contained;
  try {
    // It is never killed. A busy disk could make the checkpoint of a DROP DATABASE take longer than a test waits for it.
    const server = await startDedicatedServer({ fsync: false });
    return { url: server.url, stop: server.stop, description: `the embedded server (${contained.unavailable})` };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `no PostgreSQL for the tests: ${contained.unavailable}, and the embedded server did not start (${reason}). Start Docker, or set TEST_DATABASE_URL to a server on which the tests may create databases.`,
      { cause },
    );
  }
}
