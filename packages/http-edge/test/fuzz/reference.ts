/** A request, read strictly by RFC 9110 and 9112. */
export interface Read {
  readonly method: string;
  /** The body that is sent back, if it may be; there may be no other response. */
  readonly text: string | undefined;
  readonly asksForDocument: boolean;
  /** Its response is the last one on the connection. */
  readonly last: boolean;
  /** It may get 100 Continue. */
  readonly expects: boolean;
}

/** The requests in the bytes of a connection, up to the last one, or to the first bytes that are not a complete request. */
export interface Reading {
  readonly requests: readonly Read[];
  /** They are followed by something else. */
  readonly rest: boolean;
}

/**
 * Divides bytes into requests with regular expressions alone, and nothing of the edge's own code. It puts up with what
 * RFC 9112 sections 2.2 and 3 let a server put up with, line breaks before a request and several spaces in its first line; and
 * with the two protocols that Node's parser takes for HTTP.
 */
export function read(bytes: Buffer): Reading {
  const requests: Read[] = [];
  let rest = bytes.toString('latin1');
  for (;;) {
    rest = rest.replace(/^[\r\n]+/, '');
    const [head, line = '', fields = ''] = /^([^\r\n]+)\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
    if (head === undefined || head.length > 16_384) break;
    const [, method, target, minor] = /^([A-Z-]+) +([\x21-\x7e]+) +(?:HTTP|RTSP|ICE)\/1\.([01])$/.exec(line) ?? [];
    const headers = fields.split('\r\n').slice(0, -1).map(readField);
    if (method === undefined || target === undefined || method === 'CONNECT') break;
    if (headers.length > 2_000 || !headers.every((header) => header !== undefined)) break;
    const body = takeBody(rest.slice(head.length), headers, minor === '1');
    if (body === undefined) break;
    const request = readRequest({ method, target, isHttp11: minor === '1', headers, text: body.text });
    requests.push(request);
    if (request.last) return { requests, rest: false };
    rest = rest.slice(head.length + body.length);
  }
  return { requests, rest: rest !== '' };
}

/** Names in lower case, values without white space around. */
type Headers = readonly (readonly [name: string, value: string])[];

interface Framed {
  readonly method: string;
  readonly target: string;
  readonly isHttp11: boolean;
  readonly headers: Headers;
  readonly text: string;
}

function readRequest({ method, target, isHttp11, headers, text }: Framed): Read {
  const all = (name: string) => valuesOf(headers, name);
  const options = all('connection')
    .join()
    .toLowerCase()
    .split(/[ \t]*,[ \t]*/);
  const expectations = all('expect').join().toLowerCase();
  const expects = expectations === '100-continue';
  const hosts = all('host');
  const sound =
    !target.includes('#') &&
    (expects || all('expect').length === 0) &&
    (hosts.length === 1 || (hosts.length === 0 && !isHttp11)) &&
    /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i.test(hosts[0] ?? '') &&
    ['authorization', 'content-type'].every((name) => all(name).length <= 1);
  const [media, ...parameters] = all('content-type')
    .join()
    .toLowerCase()
    .split(/[ \t]*;[ \t]*/);
  const acceptable =
    sound &&
    method === 'POST' &&
    isFor(target, '/echo') &&
    all('authorization').join() !== '' &&
    media === 'application/json' &&
    parameters.every((each) => ['', 'charset=utf-8', 'charset="utf-8"'].includes(each)) &&
    (all('content-encoding').length === 0 || all('content-encoding').join().toLowerCase() === 'identity') &&
    text !== '';
  return {
    method,
    text: acceptable ? text : undefined,
    asksForDocument: sound && ['GET', 'HEAD'].includes(method) && isFor(target, '/small'),
    last: all('upgrade').length > 0 || (isHttp11 ? options.includes('close') : !options.includes('keep-alive')),
    expects: expects && isHttp11,
  };
}

/** A target in origin-form, or in absolute-form for any host: a proxy may have changed that. */
function isFor(target: string, path: string): boolean {
  const [, origin, written] = /^(https?:\/\/[^/?#]+)?(\/[^?]*)(?:\?.*)?$/i.exec(target) ?? [];
  if (written === undefined || (origin !== undefined && !URL.canParse(origin))) return false;
  try {
    return decodeURIComponent(written) === path;
  } catch {
    return false;
  }
}

function valuesOf(headers: Headers, name: string): readonly string[] {
  return headers.filter(([candidate]) => candidate === name).map(([, value]) => value);
}

function readField(field: string): readonly [string, string] | undefined {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
  return name === undefined || value === undefined ? undefined : [name.toLowerCase(), value.replace(/[ \t]+$/, '')];
}

interface Taken {
  readonly text: string;
  readonly length: number;
}

function takeBody(rest: string, headers: Headers, isHttp11: boolean): Taken | undefined {
  const lengths = valuesOf(headers, 'content-length');
  const codings = valuesOf(headers, 'transfer-encoding');
  if (codings.length > 0) {
    const sound = codings.join().toLowerCase() === 'chunked' && lengths.length === 0 && isHttp11;
    return sound ? takeChunks(rest) : undefined;
  }
  if (lengths.length === 0) return { text: '', length: 0 };
  const length = lengths.length === 1 && /^\d{1,9}$/.test(lengths[0] ?? '') ? Number(lengths[0]) : Number.NaN;
  return rest.length >= length ? { text: rest.slice(0, length), length } : undefined;
}

const token = "[!#$%&'*+.^`|~\\w-]+";
const sizeLine = new RegExp(
  `^([0-9a-fA-F]{1,12})(?:;${token}(?:=(?:${token}|"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))?)*\r\n`,
);

function takeChunks(rest: string): Taken | undefined {
  let text = '';
  for (let [at, chunks] = [0, 0]; ; chunks += 1) {
    const [line = '', digits] = sizeLine.exec(rest.slice(at)) ?? [];
    if (digits === undefined || line.length > 16_384 || chunks > 256 + text.length / 64) return undefined;
    at += line.length;
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      const [trailers] = /^(?:[^\r\n]+\r\n)*\r\n/.exec(rest.slice(at)) ?? [];
      const names = trailers
        ?.split('\r\n')
        .slice(0, -2)
        .map((trailer) => readField(trailer)?.[0]);
      const sound = names?.every((name) => name !== undefined && !/^(content-length|transfer-encoding)$/.test(name));
      return trailers !== undefined && trailers.length < 16_384 && sound
        ? { text, length: at + trailers.length }
        : undefined;
    }
    if (rest.slice(at + size, at + size + 2) !== '\r\n') return undefined;
    text += rest.slice(at, at + size);
    at += size + 2;
  }
}
