import type { NewPlant } from '@plant-store/domain';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { onConnection } from './connection.ts';
import type { HttpResponse } from './response-parser.ts';

/**
 * The differences from a valid request that creates a plant. The head may have placeholders: `{target}` of the valid request,
 * `{origin}`, `{host}` and `{token}` of the service, and `{length}` of the body in bytes.
 */
export interface RawRequest {
  /** What is sent, for messages: «a chunk size that is no number». */
  readonly what?: string;
  readonly method?: string;
  /** The path below the base URL, with or without a query. */
  readonly path?: string;
  /** The request line, instead of `method` and `path`. */
  readonly line?: string;
  /** Headers besides or instead of `Host`, `Authorization`, `Content-Type` and `Content-Length`; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Further lines of the head. */
  readonly lines?: readonly string[];
  /** The body, or a function of the plant's JSON text. A text is sent in UTF-8. */
  readonly body?: string | Buffer | ((json: string) => string | Buffer);
  /** Rewrites the bytes of the whole request, a character each. */
  readonly rewrite?: (bytes: string) => string;
}

/** The headers of a chunked body. */
export const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } as const;

/** A chunked body with one chunk for each text. */
export function chunks(...texts: readonly string[]): string {
  return `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`;
}

/** The differences of a request without a body. */
export const noBody = { headers: { 'Content-Type': undefined, 'Content-Length': undefined }, body: '' } as const;

/** The bytes of a request, a character each. */
export function rawRequest(service: DeployedService, request: RawRequest = {}, plant: NewPlant = aPlant()): string {
  const { method = 'POST', path = '/plants', lines = [], body = jsonOf(plant), rewrite = (same) => same } = request;
  const { line = `${method} ${targetOf(service, path)} HTTP/1.1` } = request;
  const bytes = Buffer.from(typeof body === 'function' ? body(jsonOf(plant)) : body).toString('latin1');
  const headers = {
    Host: '{host}',
    Authorization: 'Bearer {token}',
    'Content-Type': 'application/json',
    'Content-Length': '{length}',
    ...request.headers,
  };
  const fields = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const { origin, host } = new URL(service.baseUrl);
  const { token } = service;
  const values = { origin, host, token, target: targetOf(service, '/plants'), length: bytes.length };
  const head = [line, ...fields, ...lines]
    .join('\r\n')
    .replace(/\{(origin|host|token|target|length)\}/g, (_, name: keyof typeof values) => String(values[name]));
  return rewrite(`${head}\r\n\r\n${bytes}`);
}

/**
 * Sends a request over a new connection and returns the first response.
 * @param what what is sent, for messages.
 * @param plant the plant in the body, unless the request has another body.
 */
export function firstResponse(
  service: DeployedService,
  what: string,
  request: RawRequest = {},
  plant?: NewPlant,
): Promise<HttpResponse> {
  return onConnection(service, request.what ?? what, (connection) => {
    connection.send(rawRequest(service, request, plant));
    return connection.response();
  });
}

/** Sends plants so that their requests race: the last bytes of all are sent together, after the service has read the rest. */
export async function race(
  service: DeployedService,
  what: string,
  plants: readonly NewPlant[],
): Promise<HttpResponse[]> {
  const start = Promise.withResolvers<void>();
  let waiting = 0;
  const run = (plant: NewPlant) =>
    onConnection(service, what, async (connection) => {
      const bytes = rawRequest(service, {}, plant);
      connection.send(bytes.slice(0, -1));
      // When a later request was served, the service has read this one.
      await firstResponse(service, 'a plant').finally(() => {
        waiting += 1;
        if (waiting === plants.length) start.resolve();
      });
      await start.promise;
      connection.send(bytes.slice(-1));
      return connection.response();
    });
  return Promise.all(plants.map(run));
}
