import { ContractViolation } from '@plant-store/contracts-kit';
import { type DeployedService, printable, RESPONSE_TIMEOUT_MS, targetOf } from '../deployed-service.ts';
import type { HttpResponse } from './http-response.ts';

/** A request that `fetch` can send. What is left out is as in a valid request to create a plant. */
export interface FetchRequest {
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
 * Sends one request with `fetch` and waits for the whole response.
 * @throws {ContractViolation} if there is none within {@link RESPONSE_TIMEOUT_MS}.
 */
export async function sendRequest(service: DeployedService, request: FetchRequest): Promise<HttpResponse> {
  const { method = 'POST', path = '/plants', body } = request;
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...request.headers };
  const action = () => describe(service, request);
  try {
    const response = await fetch(new URL(service.baseUrl).origin + targetOf(service, path), {
      method,
      headers: Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined),
      // As bytes: for a string, fetch would add a Content-Type where there must be none.
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    });
    const { status, headers: received } = response;
    return { service, action, status, headers: received, body: await response.bytes() };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    throw new ContractViolation(
      action(),
      `no response: ${error}${cause}`,
      `an HTTP response within ${RESPONSE_TIMEOUT_MS} ms`,
    );
  }
}

function describe(service: DeployedService, request: FetchRequest): string {
  const { about, method = 'POST', path = '/plants', headers = {}, body } = request;
  const unusual = Object.entries(headers).map(([name, value]) =>
    value === undefined ? `no ${name}` : `${name}: ${value}`,
  );
  if (body !== undefined)
    unusual.push(typeof body === 'string' ? `the body ${body}` : `a body of ${body.length} bytes`);
  const parts = unusual.length === 0 ? '' : ` with ${unusual.join(', ')}`;
  return printable(service, `sent ${about ? `${about}: ` : ''}${method} ${path}${parts}`);
}
