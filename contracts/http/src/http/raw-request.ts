import { type DeployedService, RESPONSE_TIMEOUT_MS, targetOf } from '../deployed-service.ts';
import { expectPlant, fail } from '../expectations/expectations.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { type Connection, onConnection } from './connection.ts';
import { type HttpResponse, saysClose } from './http-response.ts';

/** A raw request, as far as it differs from a valid one to create a plant. */
export interface RawRequest {
  /** The request line. */
  readonly line?: string;
  /** Added to `Host`, `Authorization`, `Content-Type` and `Content-Length`, or replacing them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines added to the head as they are, after the headers. */
  readonly lines?: readonly string[];
  readonly body?: string;
}

/** The headers of a body in chunks. */
export const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } as const;

/** The bytes of the request, one character each. */
export function rawRequest(service: DeployedService, request: RawRequest = {}): string {
  const { line = `POST ${targetOf(service, '/plants')} HTTP/1.1`, lines = [], body = jsonOf(aPlant()) } = request;
  const headers = {
    Host: new URL(service.baseUrl).host,
    Authorization: `Bearer ${service.token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...request.headers,
  };
  const fields = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${[line, ...fields, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

/** Sends the bytes over a connection of its own and waits for the first response, whatever becomes of the connection. */
export function firstResponse(
  service: DeployedService,
  what: string,
  bytes: string,
  withinMs: number = RESPONSE_TIMEOUT_MS,
): Promise<HttpResponse> {
  return onConnection(service, what, (connection) => {
    connection.send(bytes);
    return connection.response({ withinMs });
  });
}

/** How to read the response to a raw request. */
export interface ExchangeOptions {
  /** The request is HEAD. */
  readonly toHead?: boolean;
  /** The service must close the connection: where the request ends is ambiguous. */
  readonly mustClose?: boolean;
}

/**
 * Sends the bytes of a complete request over a connection of its own and waits for the response, which must be the only
 * one: either the service closes the connection after it, or it serves the next request on it as usual.
 *
 * @param what what is sent, for messages.
 */
export function exchange(
  service: DeployedService,
  what: string,
  bytes: string,
  options: ExchangeOptions = {},
): Promise<HttpResponse> {
  return onConnection(service, what, async (connection) => {
    connection.send(bytes);
    const response = await connection.response({ toHead: options.toHead ?? false });
    await expectNothingStray(connection, response, options);
    return response;
  });
}

/** The response must be the last one of its connection, or the connection must be ready for the next request. */
async function expectNothingStray(
  connection: Connection,
  response: HttpResponse,
  { mustClose = false }: ExchangeOptions = {},
): Promise<void> {
  if (saysClose(response)) return connection.closed();
  if (mustClose) {
    const refusal = response.status < 400 ? 'a refusal, and it has' : 'the same with';
    fail(response, `${refusal} Connection: close, since it is ambiguous where the next request begins`);
  }
  await expectServed(connection);
}

/** The connection must serve one more request, after which it is closed as the request asks. */
export async function expectServed(connection: Connection): Promise<void> {
  const plant = aPlant();
  connection.send(rawRequest(connection.service, { headers: { Connection: 'close' }, body: jsonOf(plant) }));
  expectPlant(await connection.response(), plant);
  await connection.closed();
}
