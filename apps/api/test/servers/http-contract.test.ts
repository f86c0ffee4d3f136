import { inject } from 'vitest';
import { describeHttpContract } from '../describe-http-contract.ts';

/** What `@plant-store/testing/<engine>` exports for the tests here. */
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

for (const engine of inject('engines')) {
  const { freshDatabase, onServer }: TestServer = await import(/* @vite-ignore */ `@plant-store/testing/${engine}`);
  const define = () => describeHttpContract(engine, freshDatabase);
  if (onServer) await onServer(define);
  else define();
}
