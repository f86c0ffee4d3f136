/** One request with unambiguous framing. */
export interface Framed {
  readonly method: string;
  readonly target: string;
  readonly minorVersion: number;
  /** Names in lower case, values without white space around. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** The requests in the bytes of a connection, up to the first bytes that are not a complete request. */
export interface Framing {
  readonly requests: readonly Framed[];
  /** They are followed by something else. */
  readonly rest: boolean;
}

/**
 * Divides bytes into requests by RFC 9112, with regular expressions alone. It puts up with what section 2.2 and 3 let a
 * server put up with, line breaks before a request and several spaces in its first line; and with the two protocols that
 * Node's parser takes for HTTP.
 */
export function divide(bytes: Buffer): Framing {
  const requests: Framed[] = [];
  let rest = bytes.toString('latin1');
  for (;;) {
    rest = rest.replace(/^[\r\n]+/, '');
    const [head, line = '', fields = ''] = /^([^\r\n]+)\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
    if (head === undefined) break;
    const [, method, target, minor] = /^([A-Z-]+) +([\x21-\x7e]+) +(?:HTTP|RTSP|ICE)\/1\.([01])$/.exec(line) ?? [];
    const headers = fields.split('\r\n').slice(0, -1).map(readField);
    if (method === undefined || target === undefined || method === 'CONNECT') break;
    if (!headers.every((header) => header !== undefined)) break;
    const body = takeBody(rest.slice(head.length), headers, Number(minor));
    if (body === undefined) break;
    requests.push({ method, target, minorVersion: Number(minor), headers, body: Buffer.from(body.text, 'latin1') });
    rest = rest.slice(head.length + body.length);
  }
  return { requests, rest: rest !== '' };
}

function readField(field: string): readonly [string, string] | undefined {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? [];
  return name === undefined || value === undefined ? undefined : [name.toLowerCase(), value.replace(/[ \t]+$/, '')];
}

type Taken = { readonly text: string; readonly length: number };

function takeBody(rest: string, headers: Framed['headers'], minorVersion: number): Taken | undefined {
  const lengths = headers.filter(([name]) => name === 'content-length').map(([, value]) => value);
  const codings = headers.filter(([name]) => name === 'transfer-encoding').map(([, value]) => value.toLowerCase());
  if (codings.length > 0) {
    const sound = codings.join() === 'chunked' && lengths.length === 0 && minorVersion === 1;
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
  for (let at = 0; ; ) {
    const [line = '', digits] = sizeLine.exec(rest.slice(at)) ?? [];
    if (digits === undefined) return undefined;
    at += line.length;
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      const [trailers] = /^(?:[^\r\n]+\r\n)*\r\n/.exec(rest.slice(at)) ?? [];
      if (trailers === undefined || !trailers.split('\r\n').slice(0, -2).every(isHarmless)) return undefined;
      return { text, length: at + trailers.length };
    }
    if (rest.slice(at + size, at + size + 2) !== '\r\n') return undefined;
    text += rest.slice(at, at + size);
    at += size + 2;
  }
}

function isHarmless(trailer: string): boolean {
  const field = readField(trailer);
  return field !== undefined && field[0] !== 'content-length' && field[0] !== 'transfer-encoding';
}
