import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ExchangeLifecycle, exchangeOf } from '../../src/exchange/exchange.ts';

/** Sends a request to a server that opens its exchange, and leaves the response to the test. */
async function receive(): Promise<[request: IncomingMessage, response: ServerResponse, lifecycle: ExchangeLifecycle]> {
  const lifecycle = { opened: vi.fn(), responded: vi.fn(), closed: vi.fn() };
  const server = createServer((received, response) => exchangeOf(received).open(response, lifecycle));
  onTestFinished(() => void server.close().closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, (read) => read.resume());
  client.on('error', () => {}).end();
  const [received, response] = await once(server, 'request');
  return [received, response, lifecycle];
}

test('an exchange is opened, responded to and closed, each once', async () => {
  const [received, response, lifecycle] = await receive();
  const exchange = exchangeOf(received);
  exchange.open(response, lifecycle);
  expect(lifecycle.opened).toHaveBeenCalledExactlyOnceWith(exchange);
  expect(lifecycle.responded).not.toHaveBeenCalled();
  expect(exchange.connection).toMatchObject({ latest: exchange, unfinished: 1 });

  exchange.responded();
  exchange.responded();
  expect(lifecycle.responded).toHaveBeenCalledExactlyOnceWith(exchange);
  expect(exchange.respondedAt).toBeTypeOf('number');

  const afterClose = vi.fn();
  exchange.afterClose = afterClose;
  response.end();
  await once(response, 'close');
  expect(lifecycle.closed).toHaveBeenCalledExactlyOnceWith(exchange);
  expect(afterClose).toHaveBeenCalledAfter(lifecycle.closed as typeof afterClose);
  expect(exchange.connection).toMatchObject({ latest: undefined, unfinished: 0 });
});

test('a response that is complete only after the connection was closed does not count', async () => {
  const [received, response, lifecycle] = await receive();
  received.socket.destroy();
  await once(response, 'close');
  exchangeOf(received).responded();
  expect(lifecycle.closed).toHaveBeenCalledOnce();
  expect(lifecycle.responded).not.toHaveBeenCalled();
});
