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

describe('each is answered as the table in docs/http-api.md says, and then the connection is closed or serves the next request', () => {
  test.each([...oddTargets, ...oddHeaders, ...oddFraming])('%s', async (what, bytes, expected) => {
    await onConnection(server.service, what, async (connection) => {
      connection.send(bytes);
      let last: HttpResponse | undefined;
      for (const answer of expected) {
        last = await connection.response();
        expect(summary(last)).toBe(answer);
      }
      if (last) await expectNothingStray(connection, last);
    });
  });
});

describe('a connection that is reset', () => {
  test.each([
    ['behind CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['behind a malformed request', 'garbage\r\n\r\n'],
    ['within a body', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ])('%s does not end the process', async (_where, bytes) => {
    for (let time = 0; time < 20; time += 1) await sendAndReset(server.port, bytes);
    expect(server.crashes).toEqual([]);
  });
});

/** 200, or the number of the error; and whether the answer is the last one of its connection. */
function summary(answer: HttpResponse): string {
  const record = JSON.parse(Buffer.from(answer.body).toString()) as { readonly error?: number };
  return `${answer.status === 200 ? 200 : record.error}${saysClose(answer) ? ' close' : ''}`;
}

function sendAndReset(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(bytes, () => socket.resetAndDestroy());
  });
}
