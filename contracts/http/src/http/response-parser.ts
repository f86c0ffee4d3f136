import type { DeployedService } from '../deployed-service.ts';

/** A response of the service, with the request that it belongs to. */
export interface HttpResponse {
  readonly service: DeployedService;
  /** What was sent, for messages. A function, because only few of thousands of responses are in a message. */
  readonly action: () => string;
  readonly status: number;
  /** By name in lower case. The values of a repeated header are combined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Whether the service says that it closes the connection after this response (RFC 9112 section 9.6). */
export function saysClose({ headers }: HttpResponse): boolean {
  return /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');
}

/** A complete response, and its length in bytes. */
type Response = Pick<HttpResponse, 'status' | 'headers' | 'body'> & { readonly length: number };

/** Why a response is malformed. */
interface Fault {
  readonly fault: string;
}

/**
 * Parses the HTTP/1.1 response (RFC 9112) at the beginning of the bytes, strictly. The body may be chunked, as by a proxy.
 * Undefined if the response is incomplete.
 *
 * @param toHead whether it is the response to a HEAD request, which has no body.
 */
export function parseResponse(bytes: Buffer, toHead: boolean): Response | Fault | undefined {
  const prefix = 'HTTP/1.';
  const start = bytes.subarray(0, prefix.length).toString('latin1');
  if (!prefix.startsWith(start)) return malformed(`it does not begin with ${prefix}`);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;

  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d) [\t\x20-\x7e]*$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return malformed(`its status line is ${JSON.stringify(statusLine)}`);

  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
    if (name === undefined) return malformed(`a line of its head is ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    const before = headers.get(key);
    if (before !== undefined && singletons.has(key)) return malformed(`it has ${name} twice`);
    const text = value.replace(/[ \t]+$/, '');
    headers.set(key, before === undefined ? text : `${before}, ${text}`);
  }

  const hasBody = !toHead && status >= 200 && status !== 204 && status !== 304;
  const body = hasBody ? bodyIn(bytes.subarray(end + 4), headers) : { body: Buffer.alloc(0), length: 0 };
  return body && 'body' in body ? { status, headers, body: body.body, length: end + 4 + body.length } : body;
}

const singletons = new Set(['content-length', 'content-type', 'allow', 'www-authenticate', 'date']);

type Body = Pick<Response, 'body' | 'length'>;

function bodyIn(bytes: Buffer, headers: HttpResponse['headers']): Body | Fault | undefined {
  const [declared, coding] = [headers.get('content-length'), headers.get('transfer-encoding')];
  if (declared === undefined && coding?.toLowerCase() === 'chunked') return parseChunks(bytes);
  if (coding !== undefined || !/^\d{1,9}$/.test(declared ?? '')) return malformed('it has no valid Content-Length');
  const length = Number(declared);
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length };
}

function parseChunks(bytes: Buffer): Body | Fault | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = /^([\da-f]{1,7})(;.*)?$/i.exec(bytes.subarray(at, end).toString('latin1'))?.[1];
    if (size === undefined) return malformed('it has a chunk without a size');
    const [from, to] = [end + 2, end + 2 + Number.parseInt(size, 16)];
    if (bytes.length < to + 2) return undefined;
    if (bytes.subarray(to, to + 2).toString('latin1') !== '\r\n') return malformed('it has a chunk without an end');
    if (from === to) return { body: Buffer.concat(chunks), length: to + 2 };
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
  }
}

function malformed(fault: string): Fault {
  return { fault: `a response that is not well-formed: ${fault}` };
}
