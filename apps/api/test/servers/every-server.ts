import { inject } from 'vitest';

/** What each `@plant-store/testing-<engine>` exports for the tests here. */
interface TestServer {
  /** The URL of an empty place on the server that the run shares. */
  freshDatabase(): Promise<string>;
  /** Defines tests, or one that is skipped where the run has no server; without it there always is one. */
  onServer?(define: () => void): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The engines whose servers are started for the tests of this project. */
    readonly engines: readonly string[];
  }
}

/** Defines tests for each engine behind a server. */
export async function onEveryServer(define: (engine: string, server: TestServer) => void): Promise<void> {
  for (const engine of inject('engines')) {
    const server: TestServer = await import(`@plant-store/testing-${engine}`);
    if (server.onServer) await server.onServer(() => define(engine, server));
    else define(engine, server);
  }
}
