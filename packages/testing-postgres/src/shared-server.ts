import { randomBytes } from 'node:crypto';
import { startContainer } from './container.ts';
import { startDedicatedServer } from './embedded-server.ts';
import { useGivenServer } from './given-server.ts';
import type { ProvidedPostgres } from './provided.ts';
import { runSql } from './run-sql.ts';
import type { StartedServer } from './started-server.ts';

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
  const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
  const given = environment['TEST_DATABASE_URL'];
  const image = environment['TEST_POSTGRES_IMAGE'];
  if (given && image)
    throw new Error('TEST_DATABASE_URL and TEST_POSTGRES_IMAGE name two servers for the tests: unset one of them');
  const started = given
    ? await useGivenServer(given, databasePrefix)
    : image
      ? await startContainerOf(image)
      : await startDefaultServer();
  const [row] = await runSql(
    started.url,
    "SELECT current_setting('server_version') AS version, current_setting('fsync')::boolean AS fsync",
  );
  return { ...started, databasePrefix, version: String(row?.['version']), fsync: row?.['fsync'] === true };
}

async function startContainerOf(image: string): Promise<StartedServer> {
  const container = await startContainer(image);
  if ('url' in container) return container;
  throw new Error(
    `TEST_POSTGRES_IMAGE cannot be used (${container.unavailable}): start Docker and name an image that it has or can pull, or unset it`,
  );
}

async function startDefaultServer(): Promise<StartedServer> {
  const container = await startContainer();
  if ('url' in container) return container;
  try {
    // It is never killed. A busy disk could make the checkpoint of a DROP DATABASE take longer than a test waits for it.
    const server = await startDedicatedServer({ fsync: false });
    return { url: server.url, stop: server.stop, description: `the embedded server (${container.unavailable})` };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `no PostgreSQL for the tests: ${container.unavailable}, and the embedded server did not start (${reason}). Start Docker, or set TEST_DATABASE_URL to a server on which the tests may create databases.`,
      { cause },
    );
  }
}
