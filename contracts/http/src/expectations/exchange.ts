import type { DeployedService } from '../deployed-service.ts';
import { type Connection, onConnection } from '../http/connection.ts';
import { type RawRequest, rawRequest } from '../http/raw-request.ts';
import { type HttpResponse, saysClose } from '../http/response-parser.ts';
import { aPlant } from '../new-plants.ts';
import { expectError, expectNotStored, expectPlant, fail, forEachCase, type Kinds } from './expectations.ts';

/**
 * Sends a complete request over a new connection and returns the response, which must be the only one: the service then closes
 * the connection or serves the next request.
 *
 * @param mustClose whether the service must close, because it is ambiguous where the request ends.
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
      const rejection = response.status < 400 ? 'a rejection, and it has' : 'the same with';
      fail(response, `${rejection} Connection: close, since it is ambiguous where the next request begins`);
    } else await expectNextServed(connection);
    return response;
  });
}

/**
 * Sends a request with a plant, as {@link exchange} does. The plant must be created, or rejected and not stored.
 * @param kinds the error kinds, if it must be rejected.
 */
export async function expectOutcome(
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

/** Sends requests that must all have the same outcome, see {@link expectOutcome}. */
export function expectOutcomes(
  service: DeployedService,
  what: string,
  requests: readonly RawRequest[],
  kinds?: Kinds,
  mustClose = false,
): Promise<void> {
  return forEachCase(requests, async (request) => {
    await expectOutcome(service, what, request, kinds, mustClose);
  });
}

/** The connection must serve one more request, and close after it as the request asks. */
export async function expectNextServed(connection: Connection): Promise<void> {
  const plant = aPlant();
  connection.send(rawRequest(connection.service, { headers: { Connection: 'close' } }, plant));
  expectPlant(await connection.response(), plant);
  await connection.closed();
}
