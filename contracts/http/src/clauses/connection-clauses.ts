import type { Clause } from '@plant-store/contracts-kit';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { expectError, expectNotStored, expectPlant, fail } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { onConnection } from '../http/connection.ts';
import { saysClose } from '../http/http-response.ts';
import { chunked, exchange, expectServed, rawRequest } from '../http/raw-request.ts';
import { anyId, aPlant, jsonOf } from '../new-plants.ts';

/** Connections: one response per request, in the order of the requests. */
export const connectionClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-52',
    title: 'pipelined requests get their responses in order',
    check: (service) =>
      onConnection(service, 'ten requests at once', async (connection) => {
        const plants = Array.from({ length: 10 }, () => aPlant());
        connection.send(plants.map((plant) => rawRequest(service, { body: jsonOf(plant) })).join(''));
        for (const plant of plants) expectPlant(await connection.response(), plant);
        await expectServed(connection);
      }),
  },
  {
    id: 'HC-53',
    title:
      'a malformed request after valid ones: these get their responses, then it gets one, then the connection is closed',
    check: (service) =>
      forEachCase(['garbage\r\n\r\n', 'POST /plants HTTP/1.1\r\nHost\r\n\r\n', '\u0000'.repeat(100)], (bad) =>
        onConnection(service, 'three valid requests and a malformed one at once', async (connection) => {
          const plants = [aPlant(), aPlant(), aPlant()];
          connection.send(plants.map((plant) => rawRequest(service, { body: jsonOf(plant) })).join('') + bad);
          for (const plant of plants) expectPlant(await connection.response(), plant);
          expectError(await connection.response(), 'malformed-http');
          await connection.closed();
        }),
      ),
  },
  {
    id: 'HC-54',
    title: 'after a complete request is refused the connection serves the next one',
    check: (service) =>
      onConnection(service, 'refused requests, one after the other', async (connection) => {
        for (const [request, kind] of refusals(service)) {
          connection.send(rawRequest(service, request));
          const response = await connection.response();
          expectError(response, kind);
          if (saysClose(response))
            fail(response, 'the same without Connection: close: the request was read to its end');
        }
        await expectServed(connection);
      }),
  },
  {
    id: 'HC-55',
    title:
      'if the request says Connection: close, or is HTTP/1.0, its response is the last one and nothing after it is served',
    check: async (service) => {
      const line = `POST ${targetOf(service, '/plants')} HTTP/1.0`;
      for (const request of [
        { headers: { Connection: 'close' } },
        { headers: { Connection: 'Close' } },
        { line },
        { line, headers: { Host: undefined } },
      ]) {
        const [plant, notServed] = [aPlant(), anyId()];
        await onConnection(
          service,
          'a request with Connection: close, and another one after it',
          async (connection) => {
            const next = rawRequest(service, { body: jsonOf(aPlant({ id: notServed })) });
            connection.send(rawRequest(service, { ...request, body: jsonOf(plant) }) + next);
            const response = await connection.response();
            expectPlant(response, plant);
            await connection.closed();
            await expectNotStored(service, notServed, response);
          },
        );
      }
      const bytes = rawRequest(service, { line, headers: chunked, body: '0\r\n\r\n' });
      expectError(await exchange(service, 'a chunked body in HTTP/1.0', bytes, { mustClose: true }), 'malformed-http');
    },
  },
  {
    id: 'HC-56',
    title: 'an Upgrade that is not offered is ignored, and so are empty lines before a request',
    check: async (service) => {
      const websocket = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Key': 'AQIDBAUGBwgJCgsMDQ4PEC==',
      };
      const h2c = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };
      for (const headers of [websocket, h2c]) {
        const plant = aPlant();
        const bytes = rawRequest(service, { headers, body: jsonOf(plant) });
        expectPlant(await exchange(service, `Upgrade: ${headers.Upgrade}`, bytes), plant);
      }
      const plant = aPlant();
      const bytes = `\r\n\r\n${rawRequest(service, { body: jsonOf(plant) })}`;
      expectPlant(await exchange(service, 'empty lines and a valid request', bytes), plant);
    },
  },
];

function refusals(service: DeployedService) {
  const get = { line: `GET ${targetOf(service, '/plants')} HTTP/1.1` };
  return [
    [{ body: '{' }, 'malformed-json'],
    [{ body: '{}' }, 'not-a-new-plant'],
    [{ headers: { 'Content-Type': 'text/plain' } }, 'unsupported-media-type'],
    [{ headers: { Authorization: undefined } }, 'missing-token'],
    [{ headers: { Authorization: 'Bearer wrong' } }, 'token-not-accepted'],
    [{ line: `POST ${targetOf(service, '/nothing')} HTTP/1.1` }, 'no-such-path'],
    [get, 'method-not-allowed'],
    [{ ...get, headers: { 'Content-Length': undefined, 'Content-Type': undefined }, body: '' }, 'method-not-allowed'],
  ] as const;
}
