import { randomBytes } from 'node:crypto';
import { startContainer } from './container.ts';
import { isInstalled, startDedicatedServer } from './installed-server.ts';
import { runSql } from './run-sql.ts';
import type { StartedServer } from './started-server.ts';

/** The server that a run shares. Its description has its version. */
export interface SharedServer extends StartedServer {
  readonly databasePrefix: string;
}

/**
 * `TEST_MYSQL_URL` if it is set; else a container, if there is a Docker engine; else the `mariadbd` that is installed. If
 * `TEST_MYSQL_IMAGE` is set, only a container of that image. Its commits are not synced, so that a busy disk makes no test
 * late: it is never killed.
 *
 * @returns undefined where there is none of them.
 * @throws {Error} if what is set cannot be used. Never falls back from it.
 */
export async function startSharedServer(environment: NodeJS.ProcessEnv): Promise<SharedServer | undefined> {
  const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
  const given = environment['TEST_MYSQL_URL'];
  const image = environment['TEST_MYSQL_IMAGE'];
  if (given && image)
    throw new Error('TEST_MYSQL_URL and TEST_MYSQL_IMAGE name two servers for the tests: unset one of them');
  const server = given
    ? await useGiven(given, databasePrefix)
    : image
      ? await startContainerOf(image)
      : await startDefault();
  if (!server) return undefined;
  const [row] = await runSql(server.url, 'select version() as version');
  return { ...server, databasePrefix, description: `MySQL ${row?.['version']} for the tests: ${server.description}` };
}

async function useGiven(url: string, prefix: string): Promise<StartedServer> {
  await runSql(url, `create database ${prefix}`).catch((cause: unknown) => {
    // Without the URL: it holds a password.
    throw new Error(
      `TEST_MYSQL_URL cannot be used (${(cause as Error).message}): set it to mysql://user:password@host:port/database of a server on which the user may create databases, or unset it`,
      { cause },
    );
  });
  const stop = async () => {
    const rows = await runSql(url, 'select schema_name as name from information_schema.schemata');
    const ours = rows.map(({ name }) => String(name)).filter((name) => name.startsWith(prefix));
    for (const name of ours) await runSql(url, `drop database ${name}`);
  };
  return { url, description: 'TEST_MYSQL_URL', stop };
}

async function startContainerOf(image: string): Promise<StartedServer> {
  const container = await startContainer(image);
  if ('url' in container) return container;
  throw new Error(
    `TEST_MYSQL_IMAGE cannot be used (${container.unavailable}): start Docker and name an image that it has or can pull, or unset it`,
  );
}

async function startDefault(): Promise<StartedServer | undefined> {
  // In CI what is installed: an image would have to be pinned.
  const container = process.env['CI'] ? { unavailable: 'CI' } : await startContainer('mariadb:10.11');
  if ('url' in container) return container;
  if (!isInstalled()) return undefined;
  const { url, stop } = await startDedicatedServer({ fsync: false });
  return { url, stop, description: `the installed mariadbd (${container.unavailable})` };
}
