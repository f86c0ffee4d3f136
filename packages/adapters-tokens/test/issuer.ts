import { createServer, type ServerResponse } from 'node:http';
import { listening, type OnTestFinished } from '@plant-store/testing';

/** An issuer that publishes its keys on this machine, until the test is over. It may misbehave. */
export async function startIssuer(onTestFinished: OnTestFinished, keySet: string) {
  let requests = 0;
  let respond = withText(keySet);
  const server = createServer((_request, response) => {
    requests += 1;
    respond(response);
  });
  const port = await listening(server, onTestFinished);

  return {
    url: `http://127.0.0.1:${port}/jwks`,
    requests: () => requests,
    /** Responds like this from now on. */
    respondWith: (how: (response: ServerResponse) => void) => {
      respond = how;
    },
  };
}

export function withText(text: string, status = 200): (response: ServerResponse) => void {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
