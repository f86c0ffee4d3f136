import fc from 'fast-check';
import { token } from './edge-server.ts';
import { framedBodies } from './structured-framing.ts';

/** The bytes of up to four requests on one connection, a character each, good and bad in any of their parts. */
export function pipelinedRequests(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(request, { minLength: 1, maxLength: 4 }), mostly('', ['\r\n', 'garbage\r\n\r\n', 'POST /pl', '\0']))
    .map(([requests, rest]) => requests.join('') + rest);
}

/** One value most of the time, so that a request with ten parts is good now and then. */
function mostly<T>(usual: T, unusual: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...unusual) });
}

const bearer = `Authorization: Bearer ${token}`;

/** As in RFC 3986 sections 3.3 and 3.4. Not `fc.webPath`: its characters alone take a second to prepare. */
const path = fc.stringMatching(
  /^(\/([\w.~!$&'()*+,;=:@-]|%[\dA-Fa-f]{2}){0,9}){1,4}(\?([\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2}){0,9})?$/,
);
const origin = fc.constantFrom(
  'http://example.org',
  'https://a.b-c:81',
  'http://[::1]:1',
  'http://u:p@127.0.0.1',
  'HTTP://X',
);

const requestLine = fc
  .tuple(
    mostly('POST', ['GET', 'HEAD', 'PUT', 'TRACE', 'OPTIONS', 'QUERY', 'CONNECT', 'PLAY', 'post', 'FOO', '']),
    fc.oneof(
      {
        weight: 10,
        arbitrary: mostly('/plants', ['/openapi.json', '/', '//plants', '/plants/', '/./plants', '/PLANTS', '*']),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('/plants?a=%', '/%70lants', '/plants%', '/plants#', 'http://y/plants', 'x:1'),
      },
      { weight: 1, arbitrary: path },
      { weight: 1, arbitrary: fc.tuple(origin, path).map((parts) => parts.join('')) },
    ),
    mostly('HTTP/1.1', ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1', 'http/1.1', 'RTSP/1.0', '']),
  )
  .map((parts) => parts.join(' '));

const headers = fc
  .tuple(
    mostly('Host: x', ['', 'Host:', 'Host: [::1]:80', 'Host: x y', 'Host: x\r\nHost: x', 'hOsT:x:1', 'Host : x']),
    mostly(bearer, ['', 'Authorization: Bearer wrong', `authorization:bearer   ${token}`, `${bearer}\r\n${bearer}`]),
    mostly('Content-Type: application/json', [
      '',
      'Content-Type: text/json',
      'Content-Type: application/json;charset=UTF-8',
    ]),
    mostly('', ['Content-Encoding: br', 'Content-Encoding: identity', 'Content-Encoding:']),
    mostly('', ['Connection: close', 'Connection: keep-alive', 'Connection: upgrade\r\nUpgrade: websocket']),
    mostly('', ['Expect: 100-continue', 'Expect: 100-Continue', 'Expect: nothing', 'Expect:']),
    fc.array(anyHeader(), { maxLength: 3 }).map((lines) => lines.join('\r\n')),
  )
  .chain((lines) => fc.shuffledSubarray(lines, { minLength: lines.length }))
  .map((lines) => lines.filter((line) => line !== ''));

function anyHeader(): fc.Arbitrary<string> {
  const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
  const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.stringMatching(/^X-[!#$%&'*+.^`|~\w-]{1,20}$/), fc.string({ unit: printable }))
        .map((parts) => parts.join(': ')),
    },
    { weight: 1, arbitrary: fc.string({ unit: byte, maxLength: 12 }) },
  );
}

const request = fc
  .tuple(requestLine, headers, framedBodies())
  .map(([line, lines, { framing, bytes }]) => `${[line, ...lines, ...framing].join('\r\n')}\r\n\r\n${bytes}`);
