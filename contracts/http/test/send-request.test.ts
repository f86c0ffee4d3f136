import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type ContractViolation, show } from '@plant-store/contracts-kit';
import { describe, test } from 'vitest';
import { sendRequest } from '../src/http/send-request.ts';

type OnTestFinished = (cleanUp: () => void) => void;

/** What answers every request with these bytes, and then closes the connection if it is said to. */
async function answering(onTestFinished: OnTestFinished, bytes: string, then: 'close' | 'wait' = 'close') {
  const requests: string[] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('close', () => closed.resolve());
    socket.on('data', (request) => {
      requests.push(request.toString());
      socket.write(bytes);
      if (then === 'close') socket.end();
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    service: { baseUrl: `http://127.0.0.1:${port}/garden/`, token: 'sesame' },
    requests,
    closed: closed.promise,
    stop: () => server.close(),
  };
}

const messageOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    (response) => show(response),
    (error: ContractViolation) => error.message,
  );

describe.concurrent('sendRequest', () => {
  test('sends a request to create a plant, with what differs, and nothing else', async ({ expect, onTestFinished }) => {
    const { service, requests } = await answering(
      onTestFinished,
      'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n',
    );
    await sendRequest(service, { body: '{}' });
    await sendRequest(service, {
      method: 'DELETE',
      path: '/plants?x=1',
      headers: { authorization: undefined, 'x-request-id': 'a' },
      body: Buffer.from('é'),
    });
    const host = `Host: ${new URL(service.baseUrl).host}`;
    expect(requests.map((request) => request.split('\r\n'))).toEqual([
      [
        'POST /garden/plants HTTP/1.1',
        'authorization: Bearer sesame',
        'content-type: application/json',
        'content-length: 2',
        host,
        'Connection: keep-alive',
        '',
        '{}',
      ],
      [
        'DELETE /garden/plants?x=1 HTTP/1.1',
        'content-type: application/json',
        'content-length: 2',
        'x-request-id: a',
        host,
        'Connection: keep-alive',
        '',
        'é',
      ],
    ]);
  });

  test.for([
    ['a redirect', 'POST', '302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n', 302, ''],
    ['a response without a body', 'HEAD', '200 OK\r\nContent-Length: 5\r\n\r\n', 200, ''],
    ['one that has one', 'POST', '200 OK\r\nContent-Length: 2\r\n\r\n{}', 200, '{}'],
    [
      'an interim one before it',
      'POST',
      '102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
      200,
      '{}',
    ],
  ] as const)('returns %s as it is', async ([, method, bytes, status, body], { expect, onTestFinished }) => {
    const { service } = await answering(onTestFinished, `HTTP/1.1 ${bytes}`);
    const response = await sendRequest(service, { method });
    expect([response.status, Buffer.from(response.body).toString()]).toEqual([status, body]);
  });

  test('combines the values of a header that is there twice', async ({ expect, onTestFinished }) => {
    const { service } = await answering(onTestFinished, 'HTTP/1.1 204 No Content\r\nAllow: GET\r\nallow: POST\r\n\r\n');
    expect((await sendRequest(service, {})).headers).toEqual(new Map([['allow', 'GET, POST']]));
  });

  test.for([
    ['none at all', '', 'no response: Error: socket hang up'],
    ['what is not HTTP', 'hello\r\n\r\n', 'no response: Error: Parse Error: Expected HTTP/'],
    ['half a body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', '200 and an incomplete body: Error: aborted'],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'no response: Error: the service switches protocols (101)',
    ],
  ] as const)('of a response that is %s, says what came', async ([, bytes, what], { expect, onTestFinished }) => {
    const { service } = await answering(onTestFinished, bytes);
    expect(await messageOf(sendRequest(service, {}))).toContain(`\nactual:   ${what}`);
  });

  test('says why nothing answers, without the token', async ({ expect, onTestFinished }) => {
    const { service, stop } = await answering(onTestFinished, '');
    stop();
    const message = await messageOf(sendRequest(service, { headers: { authorization: `Bearer ${service.token}` } }));
    expect(message).toMatch(
      /^action: {3}sent POST \/plants with .*\nactual: {3}no response: Error: connect ECONNREFUSED /,
    );
    expect(message).not.toContain(service.token);
  });

  test.for([
    ['', 'no response'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{', '200 and an incomplete body'],
  ] as const)('waits 5 s after %j, and closes the connection', async ([bytes, what], { expect, onTestFinished }) => {
    const { service, closed } = await answering(onTestFinished, bytes, 'wait');
    const message = await messageOf(sendRequest(service, {}));
    expect(message).toContain(`\nactual:   ${what}: nothing more within 5000 ms\n`);
    await closed;
  });
});
