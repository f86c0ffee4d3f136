import { type DeployedService, targetOf } from '../deployed-service.ts';
import { aPlant, jsonOf } from '../new-plants.ts';
import { onConnection } from './connection.ts';
import type { HttpResponse } from './response-parser.ts';

/** A raw request, as far as it differs from a valid one to create a plant. */
export interface RawRequest {
  readonly method?: string;
  /** Below the base URL, with or without a query. */
  readonly path?: string;
  /** The request line, instead of one with the method and the path. */
  readonly line?: string;
  /** Added to `Host`, `Authorization`, `Content-Type` and `Content-Length`, or replacing them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines added to the head as they are, after the headers. */
  readonly lines?: readonly string[];
  /** A text is sent in UTF-8. */
  readonly body?: string | Buffer;
}

/** The headers of a body in chunks. */
export const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } as const;

/** Texts as one chunk each, and the last chunk. */
export function chunks(...texts: readonly string[]): string {
  return `${texts.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`;
}

/** The bytes of the request, one character each. */
export function rawRequest(service: DeployedService, request: RawRequest = {}): string {
  const { method = 'POST', path = '/plants', lines = [], body = jsonOf(aPlant()) } = request;
  const { line = `${method} ${targetOf(service, path)} HTTP/1.1` } = request;
  const bytes = Buffer.from(body).toString('latin1');
  const headers = {
    Host: new URL(service.baseUrl).host,
    Authorization: `Bearer ${service.token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...request.headers,
  };
  const fields = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${[line, ...fields, ...lines].join('\r\n')}\r\n\r\n${bytes}`;
}

/** A request, or its bytes. */
export type Sent = RawRequest | string;

/** The bytes, one character each. */
export function bytesOf(service: DeployedService, sent: Sent): string {
  return typeof sent === 'string' ? sent : rawRequest(service, sent);
}

/**
 * Sends a request over a connection of its own and waits for the first response, whatever becomes of the connection.
 * @param what what is sent, for messages.
 * @param toHead whether the request is HEAD.
 */
export function firstResponse(
  service: DeployedService,
  what: string,
  sent: Sent,
  toHead = false,
): Promise<HttpResponse> {
  return onConnection(service, what, (connection) => {
    connection.send(bytesOf(service, sent));
    return connection.response({ toHead });
  });
}

/** Completes requests at the same moment, so that they race: of each all but the last byte is sent and read before. */
export async function race(service: DeployedService, what: string, racers: readonly Sent[]): Promise<HttpResponse[]> {
  const start = Promise.withResolvers<void>();
  let atStart = 0;
  const run = (sent: Sent) =>
    onConnection(service, what, async (connection) => {
      const bytes = bytesOf(service, sent);
      connection.send(bytes.slice(0, -1));
      // Any request that is served after it.
      await firstResponse(service, 'a plant', {}).finally(() => {
        atStart += 1;
        if (atStart === racers.length) start.resolve();
      });
      await start.promise;
      connection.send(bytes.slice(-1));
      return connection.response();
    });
  return Promise.all(racers.map(run));
}
