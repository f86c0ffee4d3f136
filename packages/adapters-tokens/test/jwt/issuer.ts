import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { keySetOf, type SigningKey } from './signing-key.ts';

/** An issuer that publishes its keys on this machine, and may misbehave. */
export interface Issuer {
  /** Where its key set is. */
  readonly url: string;
  /** How often it was asked for it. */
  requests(): number;
  publish(...keys: readonly SigningKey[]): void;
  /** Answers like this from now on, until keys are published. */
  answer(how: (response: ServerResponse) => void): void;
  /** Is not there any more. */
  goAway(): Promise<void>;
  /** Is back, at the same address. */
  comeBack(): Promise<void>;
}

export async function startIssuer(...keys: readonly SigningKey[]): Promise<Issuer> {
  let requests = 0;
  let answer = withText(keySetOf(...keys));
  const server = createServer((_request, response) => {
    requests += 1;
    answer(response);
  });
  const listen = async (port = 0) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const goAway = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  await listen();
  onTestFinished(goAway);
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/jwks`,
    requests: () => requests,
    publish: (...others) => {
      answer = withText(keySetOf(...others));
    },
    answer: (how) => {
      answer = how;
    },
    goAway,
    comeBack: () => listen(port),
  };
}

export function withText(text: string, status = 200): (response: ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
