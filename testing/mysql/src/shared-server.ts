import { chosenServer, type StartedServer, startContainer } from '@plant-store/testing-servers';
import { container } from './container.ts';
import { isInstalled, startDedicatedServer } from './installed-server.ts';
import { runSql } from './run-sql.ts';

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
  const { databasePrefix, started } = await chosenServer(environment, {
    variables: { url: 'TEST_MYSQL_URL', image: 'TEST_MYSQL_IMAGE' },
    scheme: 'mysql',
    container,
    check: (url, prefix) => runSql(url, `create database ${prefix}`),
    dropDatabases,
    startDefault,
  });
  if (!started) return undefined;
  const [row] = await runSql(started.url, 'select version() as version');
  return { ...started, databasePrefix, description: `MySQL ${row?.['version']} for the tests: ${started.description}` };
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const rows = await runSql(url, 'select schema_name as name from information_schema.schemata');
  const ours = rows.map(({ name }) => String(name)).filter((name) => name.startsWith(prefix));
  for (const name of ours) await runSql(url, `drop database ${name}`);
}

async function startDefault(): Promise<StartedServer | undefined> {
  // In CI what is installed: an image would have to be pinned.
  const contained = process.env['CI'] ? { unavailable: 'CI' } : await startContainer('mariadb:10.11', container);
  if ('url' in contained) return contained;
  if (!isInstalled()) return undefined;
  const { url, stop } = await startDedicatedServer({ fsync: false });
  return { url, stop, description: `the installed mariadbd (${contained.unavailable})` };
}
