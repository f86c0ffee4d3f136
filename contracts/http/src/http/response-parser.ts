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

/**
 * Parses the HTTP/1.1 response at the beginning of the bytes, whose body has a length, or chunks, as by a proxy. Undefined if the
 * response is incomplete.
 *
 * @param toHead whether it is the response to a HEAD request, which has no body.
 */
export function parseResponse(bytes: Buffer, toHead: boolean): Response | { readonly fault: string } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return { fault: `a response whose status line is ${JSON.stringify(statusLine)}` };
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [name = '', ...value] = line.split(':');
    const key = name.toLowerCase();
    const text = value.join(':').trim();
    headers.set(key, headers.has(key) ? `${headers.get(key)}, ${text}` : text);
  }
  const rest = bytes.subarray(end + 4);
  const hasBody = !toHead && status >= 200 && status !== 204 && status !== 304;
  const length = headers.get('content-length') ?? (hasBody ? undefined : '0');
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked' && hasBody) {
    const chunked = parseChunks(rest);
    return chunked && { status, headers, body: chunked.body, length: end + 4 + chunked.length };
  }
  if (!/^\d{1,9}$/.test(length ?? '')) return { fault: 'a response without a valid Content-Length' };
  const size = hasBody ? Number(length) : 0;
  return rest.length < size ? undefined : { status, headers, body: rest.subarray(0, size), length: end + 4 + size };
}

function parseChunks(bytes: Buffer) {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const from = bytes.indexOf('\r\n', at) + 2;
    if (from < 2) return undefined;
    const to = from + Number.parseInt(bytes.subarray(at, from).toString('latin1'), 16);
    if (!(bytes.length >= to + 2)) return undefined;
    if (from === to) return { body: Buffer.concat(chunks), length: to + 2 };
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
  }
}
