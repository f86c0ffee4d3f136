import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listening } from '@plant-store/testing';
import type { TestContext } from 'vitest';
import { keySetOf, type SigningKey } from './jwts.ts';

/** An issuer that publishes its keys on this machine, and may misbehave. */
export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** Starts one, until the test is over: concurrent tests cannot use the global onTestFinished. */
export async function startIssuer(onTestFinished: TestContext['onTestFinished'], ...keys: readonly SigningKey[]) {
  let requests = 0;
  let respond = withText(keySetOf(...keys));
  const server = createServer((_request, response) => {
    requests += 1;
    respond(response);
  });
  const port = await listening(server, onTestFinished);
  const respondWith = (how: (response: ServerResponse) => void) => {
    respond = how;
  };

  return {
    url: `http://127.0.0.1:${port}/jwks`,
    requests: () => requests,
    /** Responds like this from now on. */
    respondWith,
    publish: (...others: readonly SigningKey[]) => respondWith(withText(keySetOf(...others))),
    async goAway() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    /** Listens again, at the same address, if it went away. */
    async comeBack() {
      if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening');
    },
  };
}

export function withText(text: string | Buffer, status = 200): (response: ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
