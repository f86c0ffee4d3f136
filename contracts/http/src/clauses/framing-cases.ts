/** Header lines that make the length of the body ambiguous. LENGTH stands for the length of all bytes that follow. */
export const ambiguous: readonly (readonly string[])[] = [
  ['Content-Length: LENGTH', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: LENGTH'],
  ['Content-Length: LENGTH', 'transfer-encoding: Chunked'],
  ['Content-Length: 5', 'Transfer-Encoding: chunked'],
  ['Content-Length: 0', 'Transfer-Encoding: chunked'],
  ['Content-Length: LENGTH', 'Transfer-Encoding: identity'],
  ['Content-Length: LENGTH', 'Transfer-Encoding: xchunked'],
  ['Content-Length: LENGTH', 'Transfer-Encoding:\u000bchunked'],
  ['Content-Length: LENGTH', 'Content-Length: 5'],
  ['Content-Length: 5', 'Content-Length: LENGTH'],
  ['Content-Length: LENGTH, 5'],
  ['Transfer-Encoding: gzip'],
  ['Transfer-Encoding: chunked, identity'],
  ['Transfer-Encoding: chunked, chunked'],
  ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: "chunked"'],
  ['Transfer-Encoding:'],
];

/** Values of Content-Length. LENGTH stands for the true one. */
export const badLengths: readonly string[] = [
  'abc',
  '-1',
  '+LENGTH',
  'LENGTH.0',
  '0xLENGTH',
  'LENGTHe0',
  'LENGTH LENGTH',
  'LENGTH;',
  '"LENGTH"',
  '',
  '1_0',
  '18446744073709551616',
  '99999999999999999999999999',
];

/** Ways to send a text in chunks (RFC 9112 section 7.1). */
export const goodChunks: readonly ((text: string) => string)[] = [
  (text) => `${chunk(text)}0\r\n\r\n`,
  (text) => `${(text.match(/.{1,3}/gs) ?? []).map(chunk).join('')}0\r\n\r\n`,
  (text) => `000${text.length.toString(16).toUpperCase()}\r\n${text}\r\n000\r\n\r\n`,
  (text) => `${text.length.toString(16)};a=b;c="d"\r\n${text}\r\n0;last\r\n\r\n`,
  (text) => `${chunk(text)}0\r\nX-Trailer: value\r\nAuthorization: Bearer trailer\r\n\r\n`,
];

/** Malformed chunks, and what is wrong with them. */
export const badChunks: readonly (readonly [string, (text: string) => string])[] = [
  ['a chunk size that is no number', (text) => `zz\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk size without a number', (text) => `\r\n${text}\r\n0\r\n\r\n`],
  ['a negative chunk size', (text) => `-${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk size with 0x', (text) => `0x${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk size with a space before it', (text) => ` ${chunk(text)}0\r\n\r\n`],
  ['a chunk size beyond 64 bits', (text) => `1${'0'.repeat(16)}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk longer than its size', (text) => `${(text.length - 2).toString(16)}\r\n${text}\r\n0\r\n\r\n`],
  ['a chunk without CRLF after it', (text) => `${text.length.toString(16)}\r\n${text}0\r\n\r\n`],
  ['a chunk size that ends in a bare LF', (text) => `${text.length.toString(16)}\n${text}\r\n0\r\n\r\n`],
  ['a chunk that ends in a bare LF', (text) => `${text.length.toString(16)}\r\n${text}\n0\r\n\r\n`],
  ['a chunk extension with a bare LF', (text) => `${text.length.toString(16)};a\nb\r\n${text}\r\n0\r\n\r\n`],
  ['a trailer without a colon', (text) => `${chunk(text)}0\r\nnonsense\r\n\r\n`],
];

/** Host headers that an HTTP/1.1 request must not have (RFC 9112 section 3.2). NAME stands for the true one. */
export const hosts: readonly (readonly [string, readonly string[]])[] = [
  ['no Host header', []],
  ['an empty Host header', ['Host: ']],
  ['the same Host header twice', ['Host: NAME', 'Host: NAME']],
  ['two Host headers', ['Host: NAME', 'Host: example.org']],
  ['two Host headers, the other first', ['host: example.org', 'HOST: NAME']],
];

/** A text as one chunk. */
export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
