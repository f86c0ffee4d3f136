/** A valid request, made malformed as the first item says. */
type Spoiled = readonly [what: string, spoil: (request: string) => string];

/** Requests whose header section breaks RFC 9112. */
export const badHeads: readonly Spoiled[] = [
  ['lines that end in a bare LF', (request) => request.replaceAll('\r\n', '\n')],
  ['one header line that ends in a bare LF', withLine('X-A: b\nX-C: d')],
  ['a header section that ends in a bare LF', (request) => request.replace('\r\n\r\n', '\r\n\n')],
  ['a bare CR in a header value', withLine('X-A: b\rc')],
  ['a header value folded over two lines', withLine('X-A: b\r\n c')],
  ['a Transfer-Encoding folded over two lines', withLine('X-A: b\r\n Transfer-Encoding: chunked')],
  ['white space before the first header', (request) => request.replace('\r\n', '\r\n ')],
  ['a space before the colon', withLine('X-A : b')],
  [
    'a Content-Length with a space before the colon',
    (request) => request.replace('Content-Length:', 'Content-Length :'),
  ],
  ['a tab before the colon', withLine('X-A\t: b')],
  ['a header line without a colon', withLine('nonsense')],
  ['a header without a name', withLine(': b')],
  ['a space in a header name', withLine('X A: b')],
  ['a NUL in a header name', withLine('X\u0000A: b')],
  ['a non-ASCII byte in a header name', withLine('X-\u00fc: b')],
  ['a brace in a header name', withLine('X{A}: b')],
  ['a NUL in a header value', withLine('X-A: b\u0000c')],
  ['a control character in a header value', withLine('X-A: b\u0001c')],
  ['a DEL in a header value', withLine('X-A: b\u007fc')],
  ['a header of 64 KiB', withLine(`X-A: ${'b'.repeat(65_536)}`)],
  ['64 KiB of headers', withLine(Array.from({ length: 4_096 }, (_, at) => `X-${1_000 + at}: abcdef`).join('\r\n'))],
];

/** Malformed request lines. TARGET stands for the path of the operation. */
export const badRequestLines: readonly (readonly [what: string, line: string])[] = [
  ['garbage', 'hello'],
  ['bytes that are not text', '\u0000\u0001\u00ff\u00fe'],
  ['the beginning of a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['a JSON text', '{"id":7,"name":"n"}'],
  ['a response', 'HTTP/1.1 200 OK'],
  ['HTTP/0.9', 'POST TARGET'],
  ['HTTP/0.9 by its name', 'POST TARGET HTTP/0.9'],
  ['HTTP/2.0', 'POST TARGET HTTP/2.0'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n'],
  ['HTTP/3.0', 'POST TARGET HTTP/3.0'],
  ['a version without a minor number', 'POST TARGET HTTP/1'],
  ['a version of two digits', 'POST TARGET HTTP/1.11'],
  ['a version in lower case', 'POST TARGET http/1.1'],
  ['another protocol', 'POST TARGET FTP/1.1'],
  ['two words after the target', 'POST TARGET HTTP/1.1 x'],
  ['a space in the target', 'POST TARGET x HTTP/1.1'],
  ['a tab for a space', 'POST\tTARGET\tHTTP/1.1'],
  ['a space before the method', ' POST TARGET HTTP/1.1'],
  ['no target', 'POST HTTP/1.1'],
  ['a NUL in the target', 'POST TARGET\u0000 HTTP/1.1'],
  ['a control character in the target', 'POST TARGET\u0001 HTTP/1.1'],
  ['a target of 64 KiB', `POST TARGET?${'x'.repeat(65_536)} HTTP/1.1`],
];

function withLine(line: string): (request: string) => string {
  return (request) => request.replace('\r\n\r\n', () => `\r\n${line}\r\n\r\n`);
}
