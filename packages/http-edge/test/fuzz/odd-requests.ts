import { chunk, get, request } from '../echo-server.ts';

/** What is sent, its bytes, and every response: 200 or the kind of the error, and `close` if it is the last one. */
export type OddRequest = readonly [what: string, bytes: string, ...responses: readonly string[]];

const malformed = 'malformed-http close';
const line = (first: string, more: readonly string[] = []) => request({ line: first, more });
const header = (...more: readonly string[]) => request({ more });
const coded = (body: string) => request({ more: ['Transfer-Encoding: chunked'], body });
const end = '0\r\n\r\n';
const upgrade = ['Connection: Upgrade', 'Upgrade: h2c'];

/** Rows of docs/http-api.md that no clause of the contract has, and bytes that have found a defect. */
export const oddRequests: readonly OddRequest[] = [
  ['an asterisk in the path', line('POST /*a HTTP/1.1'), 'no-such-path'],
  ['a parameter of a router in the path', line('POST /:a(b HTTP/1.1'), 'no-such-path'],
  ['a backslash after the path', line('POST /echo\\ HTTP/1.1'), 'no-such-path'],
  [
    'dot segments',
    line('POST /./echo HTTP/1.1') + line('POST /x/%2e%2E/echo HTTP/1.1'),
    'no-such-path',
    'no-such-path',
  ],
  ['a letter of the path in an escape', line('POST /%65cho?% HTTP/1.1'), '200'],
  ['an escape that is not UTF-8 in the path', line('POST /echo%ff HTTP/1.1'), 'malformed-http'],
  ['a byte outside of ASCII in the path', line('POST /\xe4 HTTP/1.1'), malformed],
  ['a byte outside of ASCII in the query', line('POST /echo?\xfc HTTP/1.1'), malformed],
  ['absolute-form with a port beyond 65535', line('POST http://x:99999/echo HTTP/1.1'), 'malformed-http'],
  ['absolute-form without Host', request({ line: 'POST http://x/echo HTTP/1.1', host: '' }), malformed],
  ['authority-form with POST', line('POST x:80 HTTP/1.1'), malformed],
  ['a request line of 15,000 bytes', line(`POST /echo?${'x'.repeat(15_000)} HTTP/1.1`), '200'],
  ['a request line beyond 16 KiB', line(`POST /echo?${'x'.repeat(16_384)} HTTP/1.1`), malformed],
  ['several spaces between the parts', line('POST   /echo  HTTP/1.1'), '200'],
  ['a space after the version', line('POST /echo HTTP/1.1 '), malformed],
  ['HTTP/1.2', line('POST /echo HTTP/1.2'), malformed],
  ['HEAD without a version', line('HEAD /HTTP/1.1'), '400 close'],
  ['another method with an escape', line('PUT /%65cho HTTP/1.1'), 'method-not-allowed'],
  ['another method in absolute-form', line('PUT http://x/echo?y HTTP/1.1'), 'method-not-allowed'],
  ['another method in absolute-form without a path', line('PUT http://x HTTP/1.1'), 'no-such-path'],
  ['a method of RTSP', line('PLAY /echo RTSP/1.0'), malformed],
  ['a method of RTSP in HTTP', line('PLAY /echo HTTP/1.1'), malformed],
  ['a method of RTSP after a request', request() + line('SETUP /echo RTSP/1.0'), '200', malformed],
  ['POST in RTSP', line('POST /echo RTSP/1.0'), '200 close'],
  ['the protocol of internet radios', line('SOURCE /echo ICE/1.0'), 'method-not-allowed close'],
  ['CONNECT after requests', request() + request() + line('CONNECT x:1 HTTP/1.1'), '200', '200', malformed],
  ['a request after CONNECT', line('CONNECT x:443 HTTP/1.1') + request(), malformed],
  ['garbage after a request', `${request()}garbage\r\n\r\n`, '200', malformed],

  ['an empty Host', request({ host: 'Host:' }), '200'],
  ['an IPv6 address and a port as Host', request({ host: 'Host: [::1]:8080' }), '200'],
  ...['a b', 'a, b', 'x/echo', 'a@b', 'x:http', '\xfc'].map(
    (host): OddRequest => [`Host: ${host}`, request({ host: `Host: ${host}` }), malformed],
  ),
  ['two Host headers in HTTP/1.0', line('POST /echo HTTP/1.0', ['Host: y']), malformed],
  ['two Host headers, then a request', header('Host: y') + request(), malformed],
  ['a header of 15,000 bytes', header(`X: ${'x'.repeat(15_000)}`), '200'],
  ['a header beyond 16 KiB', header(`X: ${'x'.repeat(16_384)}`), malformed],
  ['a header name of 15,000 bytes', header(`${'x'.repeat(15_000)}: x`), '200'],
  ['500 headers', header(...Array.from({ length: 500 }, (_, at) => `X-${at}: x`)), '200'],
  ['2,100 headers', header(...Array.from({ length: 2_100 }, () => 'a:')), malformed],
  ['every character that a header name may have', header("!#$%&'*+-.^_`|~09azAZ: x"), '200'],
  ['names of members of Object.prototype', header('__proto__: x', 'constructor: x', 'toString: x'), '200'],
  ['bytes outside of ASCII in a header value', header('X: \x80\xfc\xff'), '200'],
  ['a folded header', header('X: y\r\n z'), malformed],
  ['two Authorization headers', header('Authorization: you'), malformed],
  ['Content-Type twice', header('Content-Type: application/json'), malformed],
  ['a charset', request({ type: 'content-type: Application/JSON ; ; charset="UTF-8" ' }), '200'],
  ...['; '.repeat(6_000), ' '.repeat(12_000)].map(
    (many, at): OddRequest => [
      `thousands of ${at ? 'spaces' : 'separators'} in Content-Type`,
      request({ type: `Content-Type: application/json${many}x` }),
      'unsupported-media-type',
    ],
  ),
  ['an empty Content-Encoding', header('Content-Encoding:'), 'unsupported-media-type'],
  ['Content-Encoding twice', header(...Array(2).fill('Content-Encoding: identity')), 'unsupported-media-type'],
  ['an empty Expect', header('Expect:'), malformed],
  ['Expect: 100-continue twice', header('Expect: 100-continue', 'Expect: 100-continue'), malformed],
  ['Expect: 100-continue', header('Expect: 100-continue'), '200'],
  ['Expect: 100-continue in HTTP/1.0', line('POST /echo HTTP/1.0', ['Expect: 100-continue']), '200 close'],
  ['HTTP/1.0 and keep-alive', line('POST /echo HTTP/1.0', ['Connection: keep-alive']), '200'],
  ['close and keep-alive at once', header('Connection: close', 'Connection: keep-alive'), '200 close'],
  ['Connection that names other headers', header('Connection: Authorization, Host, Content-Length'), '200'],
  ['TE: trailers', header('TE: trailers, gzip;q=0.5', 'Connection: TE'), '200'],
  ['another method in a header', line('PUT /echo HTTP/1.1', ['X-HTTP-Method-Override: POST']), 'method-not-allowed'],
  ['another path in a header', header('X-Original-URL: /no', 'X-Rewrite-URL: /no'), '200'],
  ['conditions and ranges', header('If-None-Match: *', 'If-Match: "x"', 'Range: bytes=0-0'), '200'],
  ['an Accept without JSON', header('Accept: text/html;q=0.1, */*;q=0', 'Accept-Version: 99.x'), '200'],
  ['an Upgrade, and a request after it', header(...upgrade) + request(), '200 close'],
  ['a bad escape and an Upgrade', line('POST /% HTTP/1.1', upgrade) + request(), malformed],
  ['a bad escape, then a request', line('POST /% HTTP/1.1') + request(), 'malformed-http', '200'],
  [
    'a bad escape and a coding in HTTP/1.0',
    line('POST /% HTTP/1.0', ['Connection: keep-alive', 'Transfer-Encoding: chunked']) + chunk('a') + end,
    malformed,
  ],

  ['a Content-Length with zeros before it', header('Content-Length: 004'), '200'],
  ['a Content-Length with white space around it', header('Content-Length: \t4 \t'), '200'],
  ['the same Content-Length twice', header('Content-Length: 4', 'Content-Length: 4'), malformed],
  ['the same Content-Length twice in one header', header('Content-Length: 4, 4'), malformed],
  ['a Content-Length too short', `${header('Content-Length: 3')}\r\n\r\n`, '200', malformed],
  [
    'no length, and a body',
    `${header('Content-Length-X: 1').replace(/\r\nContent-Length: \d/, '')}\r\n\r\n`,
    'not-a-text',
    malformed,
  ],
  ['a parameter of chunked', request({ more: ['Transfer-Encoding: chunked;x=y'], body: end }), malformed],
  ['a chunk extension of 15,000 bytes', coded(`4;${'e'.repeat(15_000)}\r\nFern\r\n${end}`), '200'],
  ['a chunk extension beyond 16 KiB', coded(`4;${'e'.repeat(20_000)}\r\nFern\r\n${end}`), malformed],
  ['chunk extensions beyond 16 KiB together', coded(`1;${'e'.repeat(1_000)}\r\na\r\n`.repeat(20) + end), '200'],
  ['250 chunks of a byte', coded(chunk('a').repeat(250) + end), '200'],
  ['17,000 chunks of 64 bytes', coded(chunk('a'.repeat(64)).repeat(16_380) + chunk('a').repeat(64) + end), '200'],
  ['300 chunks of a byte', coded(chunk('a').repeat(300) + end) + request(), malformed],
  ['a chunk extension with a line break in quotes', coded(`4;a="\r\n"\r\nFern\r\n${end}`), malformed],
  ['a space after a chunk size', coded(`4 \r\nFern\r\n${end}`), malformed],
  ['a chunk size of 16 digits', coded(`ffffffffffffffff\r\n${' '.repeat(1_048_577)}`), 'body-too-large close'],
  ['a chunk size of 17 digits', coded('10000000000000000\r\nFern'), malformed],
  ['trailers beyond 16 KiB', coded(`${chunk('Fern')}0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), malformed],
  ['a length in a trailer', coded(`${chunk('Fern')}0\r\nContent-Length: 5\r\n\r\n`), malformed],
  ['a folded trailer', coded(`${chunk('Fern')}0\r\nX: y\r\n z\r\n\r\n`), malformed],
  ['a thousand line breaks before a request', '\r\n'.repeat(1_000) + request(), '200'],
  ['bare line feeds before a request', `\n\n${request()}`, '200'],
  ['line breaks between requests', `${request()}\r\n\r\n${request()}`, '200', '200'],
  ['white space before a request', ` \r\n${request()}`, malformed],
  ['GET with a body', request({ line: 'GET /small HTTP/1.1' }), '200'],
];

/** What is unfinished when the client closes its side. */
export const unfinished: readonly OddRequest[] = [
  ['a method of RTSP with half a body', line('PLAY /echo RTSP/1.0', ['Content-Length: 10']), malformed],
  ['the same after a request', request() + line('PLAY /echo RTSP/1.0', ['Content-Length: 10']), '200', malformed],
  ['a body after an Upgrade', header(...upgrade, 'Content-Length: 200'), malformed],
  [
    'a malformed trailer after an Upgrade',
    `${header(...upgrade, 'Transfer-Encoding: chunked').replace(/Fern$/, chunk('Fern'))}0\r\nno colon\r\n\r\n`,
    malformed,
  ],
  ['a refused body', request({ credentials: '', more: ['Content-Length: 200'] }), 'no-credentials close'],
  [
    'a body that is refused as it arrives',
    header('Content-Encoding: br', 'Content-Length: 200'),
    'unsupported-media-type close',
  ],
  ['a HEAD whose body is refused', request({ line: 'HEAD / HTTP/1.1', more: ['Content-Length: 200'] }), '404 close'],
  [
    'a HEAD whose body is refused after an Upgrade',
    line('HEAD / HTTP/1.1', [...upgrade, 'Transfer-Encoding: gzip, chunked']),
    '400 close',
  ],
  ['a document', get('/small').replace('GET', 'HEAD'), '200'],
];
