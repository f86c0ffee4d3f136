import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled, startDedicatedServer } from './installed-server.ts';
import { runSql } from './run-sql.ts';

/** The server that a run shares. */
export interface SharedServer {
  readonly url: string;
  readonly databasePrefix: string;
  /** Which server it is and its version, for people. */
  readonly description: string;
  /** Removes what the run made: the server itself, or its databases on a given server. */
  stop(): Promise<void>;
}

/**
 * `TEST_MYSQL_URL` if it is set; else a container, if there is a Docker engine; else the `mariadbd` that is installed.
 * Its commits are not synced, so that a busy disk makes no test late: it is never killed.
 *
 * @returns undefined where there is none of them.
 * @throws {Error} if the given URL cannot be used. Never falls back from it.
 */
export async function startSharedServer(environment: NodeJS.ProcessEnv): Promise<SharedServer | undefined> {
  const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
  const given = environment['TEST_MYSQL_URL'];
  const server = given ? await useGiven(given, databasePrefix) : await startDefault();
  if (!server) return undefined;
  const [row] = await runSql(server.url, 'select version() as version');
  return { ...server, databasePrefix, description: `MySQL ${row?.['version']} for the tests: ${server.description}` };
}

type StartedServer = Omit<SharedServer, 'databasePrefix'>;

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

/** In CI what is installed: an image would have to be pinned. */
async function startDefault(): Promise<StartedServer | undefined> {
  return (process.env['CI'] ? undefined : await startContainer()) ?? startInstalled();
}

async function startContainer(): Promise<StartedServer | undefined> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })]))) return undefined;
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: '1' })
    .withCommand(['--max-connections=300', '--innodb-flush-method=nosync'])
    .withExposedPorts(3306)
    // The first start is for setting it up.
    .withWaitStrategy(Wait.forLogMessage('ready for connections', 2))
    .start();
  const url = `mysql://root@${container.getHost()}:${container.getMappedPort(3306)}/mysql`;
  return { url, description: `a container of ${IMAGE}`, stop: async () => void (await container.stop()) };
}

const IMAGE = 'mariadb:10.11';

/** A running engine responds in milliseconds; an unreachable one must not delay the tests. */
const PROBE_TIMEOUT_MS = 2_000;

async function startInstalled(): Promise<StartedServer | undefined> {
  if (!isInstalled()) return undefined;
  const { url, stop } = await startDedicatedServer('--innodb-flush-method=nosync');
  return { url, stop, description: 'the installed mariadbd' };
}
