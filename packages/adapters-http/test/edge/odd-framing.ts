import { aPlant, chunked, header, type OddRequest, post } from './odd-request.ts';

const plant = aPlant();
const size = plant.length.toString(16);
const end = '0\r\n\r\n';

/** Bodies, and bytes around requests. */
export const oddFraming: readonly OddRequest[] = [
  ['a Content-Length with zeros before it', header(`Content-Length: 00${plant.length}`), ['200']],
  ['a Content-Length with white space around it', header(`Content-Length: \t${plant.length} \t`), ['200']],
  ['the same Content-Length twice', header(...Array(2).fill(`Content-Length: ${plant.length}`)), ['40006 close']],
  [
    'the same Content-Length twice in one header',
    header(`Content-Length: ${plant.length}, ${plant.length}`),
    ['40006 close'],
  ],
  ['a Content-Length too short', `${header('Content-Length: 5')}\r\n\r\n`, ['40001', '40006 close']],
  [
    'no Content-Length, and a body',
    header('Content-Length-X: 1').replace(/Content-Length: .*\r\n/, ''),
    ['40001', '40006 close'],
  ],
  ['a parameter of chunked', post({ more: ['Transfer-Encoding: chunked;x=y'], body: end }), ['40006 close']],
  ['TE: trailers', header('TE: trailers, gzip;q=0.5', 'Connection: TE'), ['200']],
  ['a chunk extension of 15,000 bytes', chunked(`${size};${'e'.repeat(15_000)}\r\n${plant}\r\n${end}`), ['200']],
  ['a chunk extension beyond 16 KiB', chunked(`${size};${'e'.repeat(20_000)}\r\n${plant}\r\n${end}`), ['40006 close']],
  ['chunk extensions of 1,000 bytes each, beyond 16 KiB together', chunked(`${smallChunks()}${end}`), ['200']],
  ['250 chunks of a byte', chunked(`${inBytes(plant.padEnd(250))}${end}`), ['200']],
  [
    '17,000 chunks of 64 bytes',
    chunked(`${`40\r\n${' '.repeat(64)}\r\n`.repeat(16_380)}${inBytes(plant)}${end}`),
    ['200'],
  ],
  ['300 chunks of a byte', chunked(`${inBytes(plant.padEnd(300))}${end}`) + post(), ['40006 close']],
  ['a chunk extension with a line break in quotes', chunked(`${size};a="\r\n"\r\n${plant}\r\n${end}`), ['40006 close']],
  ['a space after a chunk size', chunked(`${size} \r\n${plant}\r\n${end}`), ['40006 close']],
  ['a chunk size of 16 digits', chunked(`ffffffffffffffff\r\n${' '.repeat(1_048_577)}`), ['40004 close']],
  ['a chunk size of 17 digits', chunked(`10000000000000000\r\n${plant}`), ['40006 close']],
  ['trailers beyond 16 KiB', chunked(`${size}\r\n${plant}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), ['40006 close']],
  ['a length in a trailer', chunked(`${size}\r\n${plant}\r\n0\r\nContent-Length: 5\r\n\r\n`), ['40006 close']],
  ['a folded trailer', chunked(`${size}\r\n${plant}\r\n0\r\nX: y\r\n z\r\n\r\n`), ['40006 close']],
  ['a thousand line breaks before a request', '\r\n'.repeat(1_000) + post(), ['200']],
  ['bare line feeds before a request', `\n\n${post()}`, ['200']],
  ['line breaks between requests', `${post()}\r\n\r\n${post()}`, ['200', '200']],
  ['white space before a request', ` \r\n${post()}`, ['40006 close']],
  ['GET with a body', post({ line: 'GET /openapi.json HTTP/1.1' }), ['200']],
  ['a bad escape, then a valid request', post({ line: 'POST /% HTTP/1.1' }) + post(), ['40006', '200']],
  [
    'a bad escape and a coding in HTTP/1.0, then a valid request',
    chunked(`${size}\r\n${plant}\r\n${end}`)
      .replace('POST /plants HTTP/1.1', 'POST /plants% HTTP/1.0')
      .replace('\r\n', '\r\nConnection: keep-alive\r\n') + post(),
    ['40006 close'],
  ],
  [
    'a bad escape and an upgrade, then a valid request',
    post({ line: 'POST /% HTTP/1.1', more: ['Connection: upgrade', 'Upgrade: websocket'] }) + post(),
    ['40006 close'],
  ],
  ['two Host headers, then a valid request', header('Host: y') + post(), ['40006 close']],
];

function smallChunks(): string {
  return Array.from(plant, (char) => `1;${'e'.repeat(1_000)}\r\n${char}\r\n`).join('');
}

function inBytes(body: string): string {
  return Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('');
}
