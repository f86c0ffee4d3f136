import { inject } from 'vitest';

// These tests run for every engine behind a server, each in a project of its own: vitest.config.ts says which it is.

/** What each `@plant-store/testing-<engine>` exports for the tests here. */
export interface TestServer {
  /** The URL of an empty place on the server that the run shares. */
  freshDatabase(): Promise<string>;
  /** Empties a migrated place while a store is open on it. */
  deletePlants(url: string): Promise<void>;
  /** Defines tests, or one that is skipped where the run has no server; without it there always is one. */
  onServer?(define: () => void): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly engine: string;
  }
}

export const engine: string = inject('engine');

export const server: TestServer = await import(`@plant-store/testing-${engine}`);

export const onServer = server.onServer ?? (async (define: () => void) => define());
