import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GenericContainer, Wait } from 'testcontainers';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly [server: `server of ${string}`]: ProvidedServer;
  }
}

/** The server that the tests of a run share. */
export interface StartedServer {
  readonly url: string;
  /** Where the server comes from, for people. */
  readonly description: string;
  /** Stops the server, or drops the run's databases on a given server. */
  stop(): Promise<void>;
}

/** What vitest passes to the test workers: a server and the prefix of the run's databases, or what is missing. */
export type ProvidedServer = { readonly url: string; readonly databasePrefix: string } | { readonly missing: string };

/** An engine, and how to get its server for the tests of a run. */
export interface Engine {
  readonly name: string;
  /** The environment variables for the URL of a server and for an image. */
  readonly variables: { readonly url: string; readonly image: string };
  /** The default image, and how to run a container. `prepare` sets its environment, command and wait strategy. */
  readonly container: {
    readonly image: string;
    readonly port: number;
    prepare(container: GenericContainer, wait: typeof Wait): GenericContainer;
    urlAt(host: string): string;
  };
  /** Rejects if the run may not create databases there. */
  check(url: string, databasePrefix: string): Promise<unknown>;
  readVersion(url: string): Promise<unknown>;
  dropDatabases(url: string, databasePrefix: string): Promise<void>;
  /** Starts the installed server; undefined if none is installed. */
  startInstalled(): Promise<Omit<StartedServer, 'description'> | undefined>;
  /** What to install or set if there is no server. */
  readonly missing: string;
}

/** Makes the `globalSetup` of an engine, which starts the shared server, prints its origin on standard error, and stops it. */
export function sharedServerSetup(engine: Engine) {
  return async (project: { provide(key: `server of ${string}`, value: ProvidedServer): void }) => {
    const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
    const server = await chooseServer(process.env, engine, databasePrefix);
    project.provide(
      `server of ${engine.name}`,
      server ? { url: server.url, databasePrefix } : { missing: engine.missing },
    );
    if (!server) return;
    const version = await engine.readVersion(server.url);
    process.stderr.write(`${engine.name} ${version} for the tests: ${server.description}\n`);
    return () => server.stop();
  };
}

/**
 * Chooses the server: that of the URL if it is set, otherwise a container of the image if that is set, otherwise an installed server,
 * otherwise a container of the default image. Loading the client of Docker alone takes half a second of CPU.
 *
 * @throws {Error} with what to do if the URL or the image cannot be used.
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
      // The URL holds a password.
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      const example = container.urlAt('host').replace('test:test', 'user:password');
      throw new Error(
        `${variables.url} cannot be used (${reason}): set it to ${example} of a server on which the user may create databases, or unset it`,
        { cause },
      );
    });
    return { url, description: variables.url, stop: () => engine.dropDatabases(url, databasePrefix) };
  }
  const installed = image ? undefined : await engine.startInstalled();
  if (installed) return { ...installed, description: 'the installed one' };
  const started = await startContainer(image ?? container.image, engine).catch((error: Error) => error);
  if (started instanceof Error && image)
    throw new Error(
      `${variables.image} cannot be used (${started.message}): start Docker and name an image that it has or can pull, or unset it`,
    );
  return started instanceof Error ? undefined : started;
}

/** 2 s: a running Docker engine responds in milliseconds. */
const PROBE_TIMEOUT_MS = 2_000;

/** Starts a container. testcontainers' Ryuk removes it if `stop` is not called. */
async function startContainer(image: string, { container }: Engine): Promise<StartedServer> {
  const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
  const reached = getContainerRuntimeClient().then(Boolean, () => false);
  if (!(await Promise.race([reached, sleep(PROBE_TIMEOUT_MS, false, { ref: false })])))
    throw new Error('no Docker engine');
  const prepared = container.prepare(new GenericContainer(image).withExposedPorts(container.port), Wait);
  const started = await prepared.start();
  const url = container.urlAt(`${started.getHost()}:${started.getMappedPort(container.port)}`);
  return { url, description: `a container of ${image}`, stop: async () => void (await started.stop()) };
}

/** Creates a database with a new name, and resolves with its URL. On the shared server it is dropped at the end of the run. */
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
