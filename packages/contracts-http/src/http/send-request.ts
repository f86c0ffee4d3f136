import { type IncomingMessage, request as startWithoutTls } from 'node:http';
import { request as startWithTls } from 'node:https';
import { ContractViolation, show } from '@plant-store/contracts-kit';
import { type DeployedService, printable, RESPONSE_TIMEOUT_MS, targetOf } from '../deployed-service.ts';
import type { HttpResponse } from './http-response.ts';

/** A request. What is left out is as in a valid request to create a plant. */
export interface HttpRequest {
  /** What is unusual about it, for messages: «a token without its last character». */
  readonly about?: string;
  readonly method?: string;
  /** Below the base URL, with or without a query. */
  readonly path?: string;
  /** Added to `authorization` and `content-type`, or replacing them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Bytes are not shown in messages: `about` says what they are. */
  readonly body?: string | Uint8Array;
}

/**
 * Sends one request and waits for the whole response. Not with `fetch`, which adds headers of its own and takes three times
 * the CPU: a check of the whole contract sends thousands.
 * @throws {ContractViolation} if there is none within {@link RESPONSE_TIMEOUT_MS}.
 */
export function sendRequest(service: DeployedService, request: HttpRequest): Promise<HttpResponse> {
  const { method = 'POST', path = '/plants', body } = request;
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const action = () => describe(service, request);
  const failed = (error: unknown) => {
    const expected = `an HTTP response within ${RESPONSE_TIMEOUT_MS} ms`;
    reject(new ContractViolation(action(), `no response: ${show(error)}`, expected));
  };
  const received = (response: IncomingMessage) => {
    const { statusCode: status = 0, headersDistinct } = response;
    const chunks: Buffer[] = [];
    response.on('error', failed);
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({ service, action, status, headers: combined(headersDistinct), body: Buffer.concat(chunks) }),
    );
  };

  const bytes = body === undefined ? undefined : Buffer.from(body);
  const headers = {
    authorization: `Bearer ${service.token}`,
    'content-type': 'application/json',
    ...(bytes && { 'content-length': bytes.length }),
    ...request.headers,
  };
  try {
    const { protocol, origin } = new URL(service.baseUrl);
    const start = protocol === 'https:' ? startWithTls : startWithoutTls;
    const options = {
      method,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    };
    start(origin + targetOf(service, path), options, received)
      .on('error', failed)
      .end(bytes);
  } catch (error) {
    failed(error);
  }
  return promise;
}

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
