/** A server for the tests of a run. */
export interface Started<Provided> {
  /** What the main process passes to the test workers. */
  readonly provided: Provided;
  /** Which server it is, for people. */
  readonly description: string;
  stop(): Promise<void>;
}

/**
 * vitest's `globalSetup` of an engine: starts the server that the run's tests share, prints which one on standard error, and
 * stops it after the last project. Projects that do not list it start nothing.
 *
 * @param name of the engine, and of what is provided.
 */
export function sharedByTheRun<Name extends string, Provided>(
  name: Name,
  start: () => Promise<Started<Provided>>,
): (project: { provide(key: Name, value: Provided): void }) => Promise<() => Promise<void>> {
  return async (project) => {
    const run = theRun<Provided>(name);
    run.projects += 1;
    run.server ??= start().then((server) => {
      process.stderr.write(`${server.description}\n`);
      return server;
    });
    const { provided } = await run.server;
    project.provide(name, provided);

    return async () => {
      run.projects -= 1;
      if (run.projects > 0) return;
      const server = await run.server;
      run.server = undefined;
      await server?.stop();
    };
  };
}

interface Run<Provided> {
  server: Promise<Started<Provided>> | undefined;
  projects: number;
}

/** Every project loads this module anew, so what they share is a property of the process. */
function theRun<Provided>(name: string): Run<Provided> {
  const key = Symbol.for(`@plant-store/testing-${name}`);
  const holder = process as NodeJS.Process & { [key: symbol]: Run<Provided> | undefined };
  holder[key] ??= { server: undefined, projects: 0 };
  return holder[key];
}
