import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listening } from '@plant-store/testing-servers';
import type { TestContext } from 'vitest';
import { keySetOf, type SigningKey } from './signing-key.ts';

/** The test's context: concurrent tests cannot use the global onTestFinished. */
export type Lifetime = Pick<TestContext, 'onTestFinished'>;

/** An issuer that publishes its keys on this machine, and may misbehave. */
export interface Issuer {
  /** Where its key set is. */
  readonly url: string;
  /** How many times it was requested. */
  requests(): number;
  publish(...keys: readonly SigningKey[]): void;
  /** Responds like this from now on, until keys are published. */
  respondWith(how: (response: ServerResponse) => void): void;
  /** Stops listening. */
  goAway(): Promise<void>;
  /** Listens again, at the same address, if it went away. */
  comeBack(): Promise<void>;
}

/** Starts one, until the test is over. */
export async function startIssuer({ onTestFinished }: Lifetime, ...keys: readonly SigningKey[]): Promise<Issuer> {
  let requests = 0;
  let respond = withText(keySetOf(...keys));
  const server = createServer((_request, response) => {
    requests += 1;
    respond(response);
  });
  const goAway = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const port = await listening(server, onTestFinished);

  return {
    url: `http://127.0.0.1:${port}/jwks`,
    requests: () => requests,
    publish: (...others) => {
      respond = withText(keySetOf(...others));
    },
    respondWith: (how) => {
      respond = how;
    },
    goAway,
    comeBack: async () => {
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
    },
  };
}

export function withText(text: string, status = 200): (response: ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
