import type { DeployedService } from '../deployed-service.ts';

/** A response of the service, with the request that it belongs to. */
export interface HttpResponse {
  readonly service: DeployedService;
  /** What was sent, as a sentence for messages: of thousands of requests few are in one. */
  readonly action: () => string;
  readonly status: number;
  /** By name, in lower case; of one that is there more than once the values are combined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Whether the service says that it closes the connection after this response (RFC 9112 section 9.6). */
export function saysClose({ headers }: HttpResponse): boolean {
  return /(^|,)\s*close\s*(,|$)/i.test(headers.get('connection') ?? '');
}

/** A whole response. */
interface Response {
  readonly state: 'complete';
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly body: Buffer;
  /** How many bytes it takes. */
  readonly length: number;
}

/** What the bytes of a connection begin with. */
export type Parsed =
  | { readonly state: 'incomplete' }
  | { readonly state: 'malformed'; readonly fault: string }
  | Response;

/**
 * Parses one HTTP/1.1 response (RFC 9112) strictly: what a lenient client would tolerate is a fault. A
 * proxy in front may send a body in chunks.
 *
 * @param toHead whether it is the response to a HEAD request, and so has no body whatever its headers say.
 */
export function parseResponse(bytes: Buffer, toHead: boolean): Parsed {
  const prefix = 'HTTP/1.';
  const start = bytes.subarray(0, prefix.length).toString('latin1');
  if (!prefix.startsWith(start.slice(0, prefix.length))) return malformed(`it does not begin with ${prefix}`);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { state: 'incomplete' };

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

  const bodyLength = bodyLengthOf(status, headers, toHead);
  if (bodyLength === undefined) {
    if (headers.has('content-length') || headers.get('transfer-encoding')?.toLowerCase() !== 'chunked')
      return malformed('it has no valid Content-Length');
    const inChunks = parseChunks(bytes.subarray(end + 4));
    if (inChunks === 'malformed') return malformed('its chunks are not those of RFC 9112 section 7.1');
    if (inChunks === 'incomplete') return { state: 'incomplete' };
    const { body, length } = inChunks;
    return { state: 'complete', status, headers, body, length: end + 4 + length };
  }
  const length = end + 4 + bodyLength;
  if (bytes.length < length) return { state: 'incomplete' };
  return { state: 'complete', status, headers, body: bytes.subarray(end + 4, length), length };
}

const singletons = new Set(['content-length', 'content-type', 'allow', 'www-authenticate', 'date']);

function bodyLengthOf(status: number, headers: HttpResponse['headers'], toHead: boolean): number | undefined {
  if (toHead || status < 200 || status === 204 || status === 304) return 0;
  const declared = headers.get('content-length');
  return declared !== undefined && /^\d{1,9}$/.test(declared) && !headers.has('transfer-encoding')
    ? Number(declared)
    : undefined;
}

/** The body, and how many bytes its chunks take. */
function parseChunks(bytes: Buffer): { readonly body: Buffer; readonly length: number } | 'incomplete' | 'malformed' {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return 'incomplete';
    const size = /^([\da-f]{1,7})(;.*)?$/i.exec(bytes.subarray(at, end).toString('latin1'))?.[1];
    if (size === undefined) return 'malformed';
    const [from, to] = [end + 2, end + 2 + Number.parseInt(size, 16)];
    if (bytes.length < to + 2) return 'incomplete';
    if (bytes.subarray(to, to + 2).toString('latin1') !== '\r\n') return 'malformed';
    if (from === to) return { body: Buffer.concat(chunks), length: to + 2 };
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
  }
}

function malformed(fault: string): Parsed {
  return { state: 'malformed', fault };
}
