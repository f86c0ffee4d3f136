import { token } from './edge-server.ts';

/** What is sent, its bytes, and every response: 200 or the number of the error, and `close` if it says so. */
export type OddRequest = readonly [what: string, bytes: string, responses: readonly string[]];

/** A request to create a plant, with one part changed. */
export interface Parts {
  readonly line?: string;
  /** These three are whole header lines; an empty one is left out. */
  readonly host?: string;
  readonly authorization?: string;
  readonly type?: string;
  /** Header lines after the others. */
  readonly more?: readonly string[];
  /** Declared by its length, unless the other lines say how it is framed. */
  readonly body?: string;
}

/** A valid request except for the given parts. Each byte is one character (Latin-1). */
export function post(parts: Parts = {}): string {
  const { line: first = 'POST /plants HTTP/1.1', host = 'Host: x', type = 'Content-Type: application/json' } = parts;
  const { authorization = `Authorization: Bearer ${token}`, more = [], body = aPlant() } = parts;
  const framed = more.some((header) => /^(transfer-encoding|content-length)/i.test(header));
  const length = framed ? '' : `Content-Length: ${body.length}`;
  const lines = [first, host, authorization, type, length, ...more].filter((header) => header !== '');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A valid request with another request line. */
export function line(first: string): string {
  return post({ line: first });
}

/** A valid request with more header lines. */
export function header(...more: readonly string[]): string {
  return post({ more });
}

/** A request with a chunked body. */
export function chunked(body: string): string {
  return post({ more: ['Transfer-Encoding: chunked'], body });
}

/** A plant that is not stored yet, always of the same length. */
export function aPlant(): string {
  plants += 1;
  return `{"id":${plants},"name":"odd"}`;
}

let plants = 1_000_000;
