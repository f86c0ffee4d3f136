import { token } from './edge-server.ts';

/** What is sent, its bytes, and every answer: 200 or the number of the error, and whether it says close. */
export type OddRequest = readonly [what: string, bytes: string, answers: readonly string[]];

/** A request to create a plant, a part of it spoilt. */
export interface Parts {
  readonly line?: string;
  /** These three are whole header lines; an empty one is left out. */
  readonly host?: string;
  readonly authorization?: string;
  readonly type?: string;
  /** Header lines behind the others. */
  readonly more?: readonly string[];
  /** Declared by its length, unless the other lines say how it is framed. */
  readonly body?: string;
}

/** A good request, as far as the parts do not say otherwise. The bytes are a character each (Latin-1). */
export function post(parts: Parts = {}): string {
  const { line: first = 'POST /plants HTTP/1.1', host = 'Host: x', type = 'Content-Type: application/json' } = parts;
  const { authorization = `Authorization: Bearer ${token}`, more = [], body = aPlant() } = parts;
  const framed = more.some((header) => /^(transfer-encoding|content-length)/i.test(header));
  const length = framed ? '' : `Content-Length: ${body.length}`;
  const lines = [first, host, authorization, type, length, ...more].filter((header) => header !== '');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A good request with another first line. */
export function line(first: string): string {
  return post({ line: first });
}

/** A good request with more header lines. */
export function header(...more: readonly string[]): string {
  return post({ more });
}

/** A request whose body comes in chunks. */
export function chunked(body: string): string {
  return post({ more: ['Transfer-Encoding: chunked'], body });
}

/** A plant that nobody has, always of the same length. */
export function aPlant(): string {
  plants += 1;
  return `{"id":${plants},"name":"odd"}`;
}

let plants = 1_000_000;
