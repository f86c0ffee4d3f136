import { Agent as HttpAgent, type IncomingMessage, request as requestOverHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestOverHttps } from 'node:https';
import { ContractViolation, show } from '@plant-store/contracts-kit';
import { type DeployedService, printable, RESPONSE_TIMEOUT_MS, targetOf } from '../deployed-service.ts';
import type { HttpResponse } from './http-response.ts';

/** A request that an ordinary client can send. What is left out is as in a valid request to create a plant. */
export interface OrdinaryRequest {
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
 * Sends one request over a connection that others may have used before, and waits for the whole response.
 * @throws {ContractViolation} if there is none within {@link RESPONSE_TIMEOUT_MS}.
 */
export async function sendRequest(service: DeployedService, request: OrdinaryRequest): Promise<HttpResponse> {
  const action = () => describe(service, request);
  try {
    const { incoming, body } = await responseTo(service, request);
    return { service, action, status: incoming.statusCode ?? 0, headers: headersOf(incoming), body };
  } catch (error) {
    throw new ContractViolation(
      action(),
      `no response: ${show(error)}`,
      `an HTTP response within ${RESPONSE_TIMEOUT_MS} ms`,
    );
  }
}

interface Response {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
}

/** Not with `fetch`, which takes four times as much CPU. */
function responseTo(
  service: DeployedService,
  { method = 'POST', path = '/plants', headers, body = '' }: OrdinaryRequest,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const url = new URL(service.baseUrl);
  const fields = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...headers };
  const options = {
    method,
    // Beside the URL: from that a «?» with nothing after it would be lost.
    path: targetOf(service, path),
    headers: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  };
  const { send, agent } = url.protocol === 'https:' ? overHttps : overHttp;
  const isHead = method === 'HEAD';
  // The head is the whole response to HEAD: a body that is sent nevertheless must not be read as one of the next response.
  const outgoing = send(url, { ...options, agent: isHead ? false : agent }, (incoming) => {
    const pieces: Buffer[] = [];
    if (isHead) resolve({ incoming, body: Buffer.of() });
    incoming
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve({ incoming, body: Buffer.concat(pieces) }))
      .on('error', reject);
  });
  const timer = setTimeout(() => {
    reject(new Error(`nothing complete within ${RESPONSE_TIMEOUT_MS} ms`));
    outgoing.destroy();
  }, RESPONSE_TIMEOUT_MS);
  // As bytes: with a text, Node would send the head in UTF-8 as well.
  outgoing.on('error', reject).end(Buffer.from(body));
  return promise.finally(() => clearTimeout(timer));
}

/** Most servers keep an idle connection for 5 s or longer: it is not used when they may be closing it. */
const reused = { keepAlive: true, timeout: 4_000 };
const overHttp = { send: requestOverHttp, agent: new HttpAgent(reused) };
const overHttps = { send: requestOverHttps, agent: new HttpsAgent(reused) };

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

function describe(service: DeployedService, request: OrdinaryRequest): string {
  const { about, method = 'POST', path = '/plants', headers = {}, body } = request;
  const unusual = Object.entries(headers).map(([name, value]) =>
    value === undefined ? `no ${name}` : `${name}: ${value}`,
  );
  if (body !== undefined)
    unusual.push(typeof body === 'string' ? `the body ${body}` : `a body of ${body.length} bytes`);
  const parts = unusual.length === 0 ? '' : ` with ${unusual.join(', ')}`;
  return printable(service, `sent ${about ? `${about}: ` : ''}${method} ${path}${parts}`);
}
