import type { NewPlant } from '@plant-store/domain';
import { type DeployedService, targetOf } from '../deployed-service.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { onConnection } from './connection.ts';
import type { HttpResponse } from './response-parser.ts';

/**
 * A raw request, as far as it differs from a valid one to create a plant. In its head `{target}` stands for that of the valid
 * one, `{origin}`, `{host}` and `{token}` for the service's, and `{length}` for the bytes of the body.
 */
export interface RawRequest {
  /** What is sent, for messages, if its table does not say it: «a chunk size that is no number». */
  readonly what?: string;
  readonly method?: string;
  /** Below the base URL, with or without a query. */
  readonly path?: string;
  /** The request line, instead of one with the method and the path. */
  readonly line?: string;
  /** Added to `Host`, `Authorization`, `Content-Type` and `Content-Length`, or replacing them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines added to the head as they are, after the headers. */
  readonly lines?: readonly string[];
  /** The body, or how it is made of the plant's JSON text. A text is sent in UTF-8. */
  readonly body?: string | Buffer | ((json: string) => string | Buffer);
  /** Changes the bytes of the whole, a character each. */
  readonly rewrite?: (bytes: string) => string;
}

/** The headers of a body in chunks. */
export const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } as const;

/** Texts as one chunk each, and the last chunk. */
export function chunks(...texts: readonly string[]): string {
  return `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`;
}

/** What makes a request one without a body. */
export const noBody = { headers: { 'Content-Type': undefined, 'Content-Length': undefined }, body: '' } as const;

/** The bytes of the request, one character each. */
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
 * Sends a request over a connection of its own and waits for the first response, whatever becomes of the connection.
 * @param what what is sent, for messages.
 * @param plant the one in the body, if the request leaves it that.
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

/** Completes requests with plants at the same moment, so that they race: of each all but the last byte is sent and read before. */
export async function race(
  service: DeployedService,
  what: string,
  plants: readonly NewPlant[],
): Promise<HttpResponse[]> {
  const start = Promise.withResolvers<void>();
  let atStart = 0;
  const run = (plant: NewPlant) =>
    onConnection(service, what, async (connection) => {
      const bytes = rawRequest(service, {}, plant);
      connection.send(bytes.slice(0, -1));
      // Any request that is served after it.
      await firstResponse(service, 'a plant').finally(() => {
        atStart += 1;
        if (atStart === plants.length) start.resolve();
      });
      await start.promise;
      connection.send(bytes.slice(-1));
      return connection.response();
    });
  return Promise.all(plants.map(run));
}
