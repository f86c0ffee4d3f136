import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GenericContainer, Wait } from 'testcontainers';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly [server: `server of ${string}`]: ProvidedServer;
  }
}

/** A server for the tests of a run. */
export interface StartedServer {
  readonly url: string;
  /** Which server it is, for people. */
  readonly description: string;
  /** Removes what the run made: the server itself, or its databases on a given server. */
  stop(): Promise<void>;
}

/** What the main process passes to the test workers: a server on which databases may be created, or why there is none. */
export type ProvidedServer =
  /** The prefix is that of the names of this run's databases, by which they are dropped. */
  { readonly url: string; readonly databasePrefix: string } | { readonly missing: string };

/** An engine, and where its server for the tests of a run comes from. */
export interface Engine {
  readonly name: string;
  /** The variables that hold the URL of a server, and an image. */
  readonly variables: { readonly url: string; readonly image: string };
  /** How it runs in a container: the image by default, what sets its variables, its command, and when it is ready. */
  readonly container: {
    readonly image: string;
    readonly port: number;
    prepare(container: GenericContainer, wait: typeof Wait): GenericContainer;
    urlAt(host: string): string;
  };
  /** Rejects if the run may not create databases there. */
  check(url: string, databasePrefix: string): Promise<unknown>;
  versionOf(url: string): Promise<unknown>;
  dropDatabases(url: string, databasePrefix: string): Promise<void>;
  /** Starts what is on this machine, if there is any. */
  startInstalled(): Promise<Omit<StartedServer, 'description'> | undefined>;
  /** What is missing if there is nothing. */
  readonly missing: string;
}

/**
 * vitest's `globalSetup` of an engine: provides the server that a project's tests share, prints which one on standard error,
 * and stops it after them. See {@link chooseServer}.
 */
export function sharedServerSetup(engine: Engine) {
  return async (project: { provide(key: `server of ${string}`, value: ProvidedServer): void }) => {
    const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
    const server = await chooseServer(process.env, engine, databasePrefix);
    project.provide(
      `server of ${engine.name}`,
      server ? { url: server.url, databasePrefix } : { missing: engine.missing },
    );
    if (!server) return;
    const version = await engine.versionOf(server.url);
    process.stderr.write(`${engine.name} ${version} for the tests: ${server.description}\n`);
    return () => server.stop();
  };
}

/**
 * The server at the URL if that is set, whose databases of the run are dropped at the end; only a container of the image if
 * that is set; else a container, if there is a Docker engine; else what is installed, if there is any.
 *
 * @throws {Error} that says what to do if what is set cannot be used. Never falls back from it.
 */
export async function chooseServer(
  environment: NodeJS.ProcessEnv,
  engine: Engine,
  databasePrefix: string,
): Promise<StartedServer | undefined> {
  const { variables, container } = engine;
  const [url, image] = [environment[variables.url], environment[variables.image]];
  if (url && image)
    throw new Error(`${variables.url} and ${variables.image} name two servers for the tests: unset one of them`);
  if (url) {
    await engine.check(url, databasePrefix).catch((cause: unknown) => {
      // Without the URL: it holds a password.
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      const example = container.urlAt('host').replace('test:test', 'user:password');
      throw new Error(
        `${variables.url} cannot be used (${reason}): set it to ${example} of a server on which the user may create databases, or unset it`,
        { cause },
      );
    });
    return { url, description: variables.url, stop: () => engine.dropDatabases(url, databasePrefix) };
  }
  const started = await startContainer(image ?? container.image, engine).catch((error: Error) => error);
  if (!(started instanceof Error)) return started;
  if (image)
    throw new Error(
      `${variables.image} cannot be used (${started.message}): start Docker and name an image that it has or can pull, or unset it`,
    );
  const installed = await engine.startInstalled();
  return installed && { ...installed, description: `what is installed (${started.message})` };
}

/** A running engine responds in milliseconds; an unreachable one must not delay the tests. */
const PROBE_TIMEOUT_MS = 2_000;

/** Ryuk, or `stop`, removes the container. */
async function startContainer(image: string, { container }: Engine): Promise<StartedServer> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(Boolean, () => false);
  if (!(await Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })])))
    throw new Error('no Docker engine answered');
  const prepared = container.prepare(new GenericContainer(image).withExposedPorts(container.port), Wait);
  const started = await prepared.start();
  const url = container.urlAt(`${started.getHost()}:${started.getMappedPort(container.port)}`);
  return { url, description: `a container of ${image}`, stop: async () => void (await started.stop()) };
}

/** Creates a database of a new name, and resolves with its URL. On the shared server it is dropped at the end of the run. */
export async function newDatabase(
  engine: Engine['name'],
  serverUrl: string | undefined,
  create: (url: string, name: string) => Promise<unknown>,
): Promise<string> {
  const server: ProvidedServer = serverUrl
    ? { url: serverUrl, databasePrefix: 'plant_store_test_' }
    : inject(`server of ${engine}`);
  if (!server || 'missing' in server)
    throw new Error(
      `no server for this run: list testing/src/${engine}/global-setup.ts under globalSetup of this project in vitest.config.ts, and define the test within onServer() if there is one`,
    );
  const name = server.databasePrefix + randomBytes(6).toString('hex');
  await create(server.url, name);
  return Object.assign(new URL(server.url), { pathname: name }).href;
}
