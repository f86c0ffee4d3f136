import { connect } from 'node:net';
import { expectNothingStray, type HttpResponse, onConnection, saysClose } from '@plant-store/contracts-http/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EdgeServer, startEdgeServer } from './edge-server.ts';
import { oddFraming } from './odd-framing.ts';
import { oddHeaders } from './odd-headers.ts';
import { oddTargets } from './odd-targets.ts';

let server: EdgeServer;

beforeAll(async () => {
  server = await startEdgeServer();
});

afterAll(async () => {
  await server.close();
  expect(server.crashes).toEqual([]);
});

describe('each gets the response in the table of docs/http-edge-cases.md; then the connection is closed or serves the next request', () => {
  test.each([...oddTargets, ...oddHeaders, ...oddFraming])('%s', async (what, bytes, expected) => {
    await onConnection(server.service, what, async (connection) => {
      connection.send(bytes);
      let last: HttpResponse | undefined;
      for (const response of expected) {
        last = await connection.response();
        expect(summary(last)).toBe(response);
      }
      if (last) await expectNothingStray(connection, last);
    });
  });
});

describe('a connection that is reset', () => {
  test.each([
    ['after CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['after a malformed request', 'garbage\r\n\r\n'],
    ['within a body', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ])('%s does not end the process', async (_where, bytes) => {
    for (let time = 0; time < 20; time += 1) await sendAndReset(server.port, bytes);
    expect(server.crashes).toEqual([]);
  });
});

/** 200, or the number of the error; and `close` if the response is the last one on its connection. */
function summary(response: HttpResponse): string {
  const record = JSON.parse(Buffer.from(response.body).toString()) as { readonly error?: number };
  return `${response.status === 200 ? 200 : record.error}${saysClose(response) ? ' close' : ''}`;
}

function sendAndReset(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(bytes, () => socket.resetAndDestroy());
  });
}
