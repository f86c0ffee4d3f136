import type { DeployedService } from '../deployed-service.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { bytesOf, type RawRequest, rawRequest, type Sent } from '../http/raw-request.ts';
import { type HttpResponse, saysClose } from '../http/response-parser.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { expectError, expectNotStored, expectPlant, fail, type Kinds } from './expectations.ts';

/**
 * Sends a complete request over a connection of its own and waits for the response, which must be the only one: either the
 * service closes the connection after it, or it serves the next request on it as usual.
 *
 * @param options `toHead` if the request is HEAD; `mustClose` if it is ambiguous where the request ends.
 */
export function exchange(
  service: DeployedService,
  what: string,
  sent: Sent,
  { toHead = false, mustClose = false }: { readonly toHead?: boolean; readonly mustClose?: boolean } = {},
): Promise<HttpResponse> {
  return onConnection(service, what, async (connection) => {
    connection.send(bytesOf(service, sent));
    const response = await connection.response({ toHead });
    if (saysClose(response)) await connection.closed();
    else if (mustClose) {
      const refusal = response.status < 400 ? 'a refusal, and it has' : 'the same with';
      fail(response, `${refusal} Connection: close, since it is ambiguous where the next request begins`);
    } else await expectServed(connection);
    return response;
  });
}

/**
 * Sends a request with a plant, as {@link exchange} does: it must be created, or refused and not stored.
 * @param request differs from a valid one, or makes the bytes from the plant's JSON.
 * @param kinds those of the refusal, if it must be refused.
 */
export async function expectVerdict(
  service: DeployedService,
  what: string,
  request: RawRequest | ((json: string) => string),
  kinds?: Kinds,
  mustClose = false,
): Promise<HttpResponse> {
  const plant = aPlant();
  const sent = typeof request === 'function' ? request(jsonOf(plant)) : { ...request, body: jsonOf(plant) };
  const response = await exchange(service, what, sent, { mustClose });
  if (kinds === undefined) expectPlant(response, plant);
  else {
    expectError(response, kinds);
    await expectNotStored(service, plant.id, response);
  }
  return response;
}

/** The connection must serve one more request, after which it is closed as the request asks. */
export async function expectServed(connection: Connection): Promise<void> {
  const plant = aPlant();
  connection.send(rawRequest(connection.service, { headers: { Connection: 'close' }, body: jsonOf(plant) }));
  expectPlant(await connection.response(), plant);
  await connection.closed();
}
