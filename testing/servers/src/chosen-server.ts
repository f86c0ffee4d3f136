import { randomBytes } from 'node:crypto';
import { type ServerContainer, type StartedServer, startContainer } from './container.ts';

/** How the server of an engine is chosen. */
export interface ServerChoice<Default> {
  /** The variables that hold the URL of a server, and an image. */
  readonly variables: { readonly url: string; readonly image: string };
  readonly scheme: string;
  readonly container: ServerContainer;
  /** Rejects if the run may not create databases there. */
  check(url: string, databasePrefix: string): Promise<unknown>;
  dropDatabases(url: string, databasePrefix: string): Promise<void>;
  startDefault(): Promise<Default>;
}

/**
 * The server at the URL if that is set, whose databases of the run are dropped at the end; only a container of the image if
 * that is set; else the default.
 *
 * @throws {Error} that says what to do if what is set cannot be used. Never falls back from it.
 */
export async function chosenServer<Default>(
  environment: NodeJS.ProcessEnv,
  { variables, scheme, container, check, dropDatabases, startDefault }: ServerChoice<Default>,
): Promise<{ readonly databasePrefix: string; readonly started: StartedServer | Default }> {
  const databasePrefix = `plant_store_test_${randomBytes(4).toString('hex')}_`;
  const [url, image] = [environment[variables.url], environment[variables.image]];
  if (url && image)
    throw new Error(`${variables.url} and ${variables.image} name two servers for the tests: unset one of them`);
  if (url) {
    await check(url, databasePrefix).catch((cause: unknown) => {
      // Without the URL: it holds a password.
      const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
      throw new Error(
        `${variables.url} cannot be used (${reason}): set it to ${scheme}://user:password@host:port/database of a server on which the user may create databases, or unset it`,
        { cause },
      );
    });
    const stop = () => dropDatabases(url, databasePrefix);
    return { databasePrefix, started: { url, description: variables.url, stop } };
  }
  if (!image) return { databasePrefix, started: await startDefault() };
  const started = await startContainer(image, container);
  if ('url' in started) return { databasePrefix, started };
  throw new Error(
    `${variables.image} cannot be used (${started.unavailable}): start Docker and name an image that it has or can pull, or unset it`,
  );
}
