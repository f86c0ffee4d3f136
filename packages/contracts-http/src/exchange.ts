import { type Answer, saysClose } from './answer.ts';
import { type Connection, onConnection } from './connection.ts';
import { type DeployedService, targetOf } from './deployed-service.ts';
import { broken, expectPlant } from './expectations.ts';
import { aPlant, jsonOf } from './new-plants.ts';

/** A request byte by byte, as far as it differs from a good one to create a plant. */
export interface RawRequest {
  /** The request line. */
  readonly line?: string;
  /** Beside `Host`, `Authorization`, `Content-Type` and `Content-Length`, or instead of them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines that stand in the head as they are, behind the headers. */
  readonly lines?: readonly string[];
  readonly body?: string;
}

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

/** What an exchange may say about itself. */
export interface ExchangeOptions {
  /** The request is HEAD. */
  readonly toHead?: boolean;
  /** The service must close the connection: where the request ends is anybody's guess. */
  readonly mustClose?: boolean;
}

/**
 * Sends complete requests' bytes over a connection of their own and waits for the answer, which must be the only one:
 * either the service closes the connection behind it, or it serves the next request on it as if nothing had been.
 *
 * @param what what is sent, for messages.
 */
export function exchange(
  service: DeployedService,
  what: string,
  bytes: string,
  options: ExchangeOptions = {},
): Promise<Answer> {
  return onConnection(service, what, async (connection) => {
    connection.send(bytes);
    const answer = await connection.answer({ toHead: options.toHead ?? false });
    await expectNothingStray(connection, answer, options);
    return answer;
  });
}

/** The answer must be the last one of its connection, or the connection must be fit for the next request. */
export async function expectNothingStray(
  connection: Connection,
  answer: Answer,
  { mustClose = false }: ExchangeOptions = {},
): Promise<void> {
  if (saysClose(answer)) return connection.closed();
  if (mustClose) {
    const refusal = answer.status < 400 ? 'a refusal, and it has' : 'the same with';
    broken(answer, `${refusal} Connection: close, since nobody can tell where the next request begins`);
  }
  await expectServed(connection);
}

/** The connection must serve one more request, after which it is closed as the request asks. */
export async function expectServed(connection: Connection): Promise<void> {
  const plant = aPlant();
  connection.send(rawRequest(connection.service, { headers: { Connection: 'close' }, body: jsonOf(plant) }));
  expectPlant(await connection.answer(), plant);
  await connection.closed();
}
