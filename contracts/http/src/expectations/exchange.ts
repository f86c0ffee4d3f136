import type { DeployedService } from '../deployed-service.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { type RawRequest, rawRequest } from '../http/raw-request.ts';
import { type HttpResponse, saysClose } from '../http/response-parser.ts';
import { aPlant } from '../new-plants.ts';
import { expectError, expectNotStored, expectPlant, fail, forEachCase, type Kinds } from './expectations.ts';

/**
 * Sends a complete request over a connection of its own and waits for the response, which must be the only one: either the
 * service closes the connection after it, or it serves the next request on it as usual.
 *
 * @param mustClose whether it is ambiguous where the request ends.
 */
export function exchange(
  service: DeployedService,
  what: string,
  request: RawRequest,
  plant = aPlant(),
  mustClose = false,
): Promise<HttpResponse> {
  return onConnection(service, request.what ?? what, async (connection) => {
    connection.send(rawRequest(service, request, plant));
    const response = await connection.response();
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
 * @param kinds those of the refusal, if it must be refused.
 */
export async function expectVerdict(
  service: DeployedService,
  what: string,
  request: RawRequest,
  kinds?: Kinds,
  mustClose = false,
): Promise<HttpResponse> {
  const plant = aPlant();
  const response = await exchange(service, what, request, plant, mustClose);
  if (kinds === undefined) expectPlant(response, plant);
  else {
    expectError(response, kinds);
    await expectNotStored(service, plant.id, response);
  }
  return response;
}

/** Sends a table of requests, each of which gets the same verdict, see {@link expectVerdict}. */
export function expectVerdicts(
  service: DeployedService,
  what: string,
  requests: readonly RawRequest[],
  kinds?: Kinds,
  mustClose = false,
): Promise<void> {
  return forEachCase(requests, async (request) => {
    await expectVerdict(service, what, request, kinds, mustClose);
  });
}

/** The connection must serve one more request, after which it is closed as the request asks. */
export async function expectServed(connection: Connection): Promise<void> {
  const plant = aPlant();
  connection.send(rawRequest(connection.service, { headers: { Connection: 'close' } }, plant));
  expectPlant(await connection.response(), plant);
  await connection.closed();
}
