import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ContractViolation, show } from '@plant-store/contracts-kit';
import {
  type DeployedService,
  largestResponse,
  printable,
  RESPONSE_TIMEOUT_MS,
  targetOf,
} from '../deployed-service.ts';
import type { HttpResponse } from './http-response.ts';

/** A request. What is left out is as in a valid request to create a plant. */
export interface HttpRequest {
  /** What is unusual about it, for messages: «a token without its last character». */
  readonly about?: string;
  readonly method?: string;
  /** Below the base URL, with or without a query. */
  readonly path?: string;
  /** In lower case. Added to `authorization` and `content-type`, or replacing them; undefined leaves one of these out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Bytes are not shown in messages: `about` says what they are. */
  readonly body?: string | Uint8Array;
}

/**
 * Sends one request and waits for the whole response. Not with `fetch`, which takes three times the CPU: a check of the whole
 * contract sends thousands.
 * @throws {ContractViolation} if there is none within {@link RESPONSE_TIMEOUT_MS}, or it is larger than {@link largestResponse}.
 */
export function sendRequest(service: DeployedService, request: HttpRequest): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const action = () => describe(service, request);
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  let received = 'no response';

  function failed(error: unknown): void {
    const why = signal.aborted ? `nothing more within ${RESPONSE_TIMEOUT_MS} ms` : show(error);
    const expected = `an HTTP response within ${RESPONSE_TIMEOUT_MS} ms`;
    reject(new ContractViolation(action(), `${received}: ${why}`, expected));
  }

  function onResponse(response: IncomingMessage): void {
    const { statusCode: status = 0, headersDistinct } = response;
    const chunks: Buffer[] = [];
    const limit = largestResponse(request.body?.length);
    let length = 0;
    received = `${status} and an incomplete body`;
    response.on('error', failed);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) response.destroy(new Error(`the body is larger than ${limit} bytes`));
    });
    response.on('end', () =>
      resolve({ service, action, status, headers: combined(headersDistinct), body: Buffer.concat(chunks) }),
    );
  }

  try {
    start(service, request, signal)
      .on('response', onResponse)
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy();
        failed(new Error(`the service switches protocols (${statusCode})`));
      })
      .on('error', failed);
  } catch (error) {
    failed(error);
  }
  return promise;
}

function start(
  service: DeployedService,
  { method = 'POST', path = '/plants', headers, body }: HttpRequest,
  signal: AbortSignal,
): ClientRequest {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const all = {
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/json',
    // For some methods, such as DELETE, Node sends none by itself.
    ...(bytes && { 'content-length': bytes.length }),
    ...headers,
  };
  const { protocol, origin } = new URL(service.baseUrl);
  const { request, agent } = protocol === 'https:' ? withTls : withoutTls;
  const options = {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
    agent,
    signal,
  };
  return request(origin + targetOf(service, path), options).end(bytes);
}

// Many a service closes a connection that was idle for 5 s: no request may be sent at that moment.
const connections = { keepAlive: true, timeout: 3_000 };
const withoutTls = { request: http.request, agent: new http.Agent(connections) };
const withTls = { request: https.request, agent: new https.Agent(connections) };

/** Of a field that is there more than once the values are combined (RFC 9110 section 5.3). */
function combined(fields: IncomingMessage['headersDistinct']): HttpResponse['headers'] {
  return new Map(Object.entries(fields).map(([name, values = []]) => [name, values.join(', ')]));
}

function describe(service: DeployedService, request: HttpRequest): string {
  const { about, method = 'POST', path = '/plants', headers = {}, body } = request;
  const unusual = Object.entries(headers).map(([name, value]) =>
    value === undefined ? `no ${name}` : `${name}: ${value}`,
  );
  if (body !== undefined)
    unusual.push(typeof body === 'string' ? `the body ${body}` : `a body of ${body.length} bytes`);
  const parts = unusual.length === 0 ? '' : ` with ${unusual.join(', ')}`;
  return printable(service, `sent ${about ? `${about}: ` : ''}${method} ${path}${parts}`);
}
