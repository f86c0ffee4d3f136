import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sendRequest } from '../src/http/send-request.ts';

async function serviceThat(listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/garden/`, token: 'secret' };
}

test('a request is sent as it is written, below the base URL and without other headers', async () => {
  const service = await serviceThat(({ method, url, rawHeaders }, response) =>
    response.end(JSON.stringify([method, url, rawHeaders])),
  );
  const [headers, body] = [{ authorization: 'Bearer für', 'content-type': undefined }, 'für'];
  const response = await sendRequest(service, { path: '/plants?', headers, body });
  expect(JSON.parse(Buffer.from(response.body).toString())).toEqual([
    'POST',
    '/garden/plants?',
    [
      ...['authorization', 'Bearer für', 'Host', new URL(service.baseUrl).host],
      ...['Connection', 'keep-alive', 'Content-Length', '4'],
    ],
  ]);
});

test('every header of a response is there, of the same name too, and a redirect is not followed', async () => {
  const service = await serviceThat((_request, response) =>
    response
      .writeHead(302, ['Location', '/', 'Content-Type', 'text/a', 'Content-Type', 'text/b', 'X-Name', 'für'])
      .end(),
  );
  const { status, headers, body } = await sendRequest(service, {});
  expect([status, headers.get('content-type'), headers.get('x-name')]).toEqual([302, 'text/a, text/b', 'für']);
  expect(body).toHaveLength(0);
});

test('a body that follows the response to HEAD is neither read nor taken for the next response', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';
  const service = await serviceThat((_request, response) => response.socket?.write(`${head}{}`));
  for (const [method, body] of [
    ['HEAD', ''],
    ['POST', '{}'],
    ['HEAD', ''],
  ] as const) {
    const response = await sendRequest(service, { method });
    expect([response.status, Buffer.from(response.body).toString()]).toEqual([200, body]);
  }
});

test.each<[string, string, (response: ServerResponse) => void]>([
  [
    'that it is cut off',
    'aborted',
    (response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'),
  ],
  ['that there is none', 'socket hang up', (response) => response.destroy()],
  ['that it is malformed', 'Parse Error: Expected HTTP/, RTSP/ or ICE/', (response) => response.socket?.end('{}')],
])('of a response that is not complete the message says %s', async (_, why, respond) => {
  const service = await serviceThat((_request, response) => respond(response));
  const violation = sendRequest(service, { about: 'a plant', body: '{}' });
  await expect(violation).rejects.toMatchObject({
    action: 'sent a plant: POST /plants with the body {}',
    actual: `no response: Error: ${why}`,
    expected: 'an HTTP response within 5000 ms',
  });
});
