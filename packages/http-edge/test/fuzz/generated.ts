import fc from 'fast-check';
import { chunk, request } from '../echo-server.ts';
import { oddRequests, unfinished } from './odd-requests.ts';

// Heads of any size are among the odd requests; here they stay well within what the parser takes.
const entry = fc.constantFrom(
  request(),
  ...[...oddRequests, ...unfinished].map(([, bytes]) => bytes).filter((bytes) => bytes.length < 4_000),
);

/** Bytes of odd requests, changed in up to four places, cut into up to five segments. */
export function mutatedBytes(): fc.Arbitrary<Buffer[]> {
  return fc
    .tuple(entry, fc.array(change, { maxLength: 4 }))
    .map(([bytes, changes]) => changes.reduce((changed, next) => next(changed), bytes))
    .filter((bytes) => bytes.length < 12_000)
    .chain(inSegments);
}

/** Up to four requests on one connection, good and bad in any of their parts, cut into up to five segments. */
export function pipelinedRequests(): fc.Arbitrary<Buffer[]> {
  return fc
    .tuple(
      fc.array(generated, { minLength: 1, maxLength: 4 }),
      mostly('', ['\r\n', 'garbage\r\n\r\n', 'POST /e', '\0']),
    )
    .map(([requests, rest]) => requests.join('') + rest)
    .chain(inSegments);
}

/** The bytes as they may arrive. */
function inSegments(bytes: string): fc.Arbitrary<Buffer[]> {
  return fc.array(fc.nat(bytes.length), { maxLength: 4 }).map((cuts) => {
    const ends = [...cuts.sort((one, other) => one - other), bytes.length];
    return ends.map((end, at) => Buffer.from(bytes.slice(ends[at - 1] ?? 0, end), 'latin1'));
  });
}

/** What parsers disagree on. */
const fragments = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\0', ' ', '\t', '\v', ':', ',', ';', '"', '%', '#', '\x7f', '\xff', '0\r\n\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Connection: close\r\n'],
  ...['Host: y\r\n', 'Expect: 100-continue\r\n', 'HTTP/1.0', 'GET', 'HEAD', 'TRACE', '/echo', '{', '\\', '1e9'],
];

/** Puts something in the place of some bytes: nothing, other bytes, twice the same, or a part of another request. */
const change = fc
  .tuple(
    fc.nat(0xffff),
    fc.oneof(fc.constantFrom(0, 1), fc.nat(8), fc.nat(400)),
    fc.oneof(
      fc.constantFrom(...fragments).map((text) => () => text),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => () => Buffer.from(bytes).toString('latin1')),
      fc.constant((cut: string) => cut + cut),
      fc.tuple(entry, fc.nat(400)).map(
        ([other, from]) =>
          () =>
            other.slice(from),
      ),
    ),
  )
  .map(([place, length, replace]) => (bytes: string) => {
    const at = place % (bytes.length + 1);
    return bytes.slice(0, at) + replace(bytes.slice(at, at + length)) + bytes.slice(at + length);
  });

/** One value most of the time, so that a request with ten parts is good now and then. */
function mostly<T>(usual: T, unusual: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...unusual) });
}

/** As in RFC 3986 sections 3.3 and 3.4. Not `fc.webPath`: its characters alone take a second to prepare. */
const path = fc.stringMatching(
  /^(http:\/\/x)?(\/([\w.~!$&'()*+,;=:@-]|%[\dA-Fa-f]{2}){0,9}){1,4}(\?([\w.~!$&'()*+,;=:@/?-]|%[\dA-Fa-f]{2}){0,9})?$/,
);

const line = fc
  .tuple(
    mostly('POST', ['GET', 'HEAD', 'PUT', 'TRACE', 'OPTIONS', 'QUERY', 'CONNECT', 'PLAY', 'post', 'FOO', '']),
    fc.oneof(
      {
        weight: 9,
        arbitrary: mostly('/echo', ['/small', '/', '//echo', '/echo?a=%', '/%65cho', '/echo%', '/echo#', '*']),
      },
      { weight: 1, arbitrary: path },
    ),
    mostly('HTTP/1.1', ['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1', 'http/1.1', 'RTSP/1.0', '']),
  )
  .map((parts) => parts.join(' '));

const header = fc
  .tuple(fc.stringMatching(/^X-[!#$%&'*+.^`|~\w-]{1,20}$/), fc.string())
  .map((parts) => parts.join(': '));

const latin1 = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));

/** A body, and the header lines that say how long it is: mostly right, in one way or the other. */
const framed = fc.tuple(fc.string({ unit: latin1 }), fc.nat(9), fc.nat(19)).map(([text, cut, wrong]) => {
  const ways: readonly (readonly [body: string, ...lines: readonly string[]])[] = [
    [text, `Content-Length: ${text.length}`],
    [
      `${[text.slice(0, cut), text.slice(cut)].filter(Boolean).map(chunk).join('')}0\r\n\r\n`,
      'Transfer-Encoding: chunked',
    ],
  ];
  const [body, ...lines] = ways[cut % 2] ?? [''];
  return { body, lines: misleading[wrong] ?? lines };
});

const misleading: readonly (readonly string[])[] = [
  ['Content-Length: 7', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: gzip, chunked'],
  ['Content-Length: 7', 'Content-Length: 8'],
];

const generated = fc
  .tuple(
    line,
    framed,
    mostly('Host: x', ['', 'Host:', 'Host: [::1]:80', 'Host: x y', 'Host: x\r\nHost: x', 'hOsT:x:1', 'Host : x']),
    mostly('Authorization: me', ['', 'Authorization:', 'authorization:me', 'Authorization: me\r\nAuthorization: me']),
    mostly('Content-Type: application/json', [
      '',
      'Content-Type: text/json',
      'Content-Type: application/json;charset=UTF-8',
    ]),
    mostly('', ['Content-Encoding: br', 'Content-Encoding: identity', 'Content-Encoding:']),
    mostly('', ['Connection: close', 'Connection: keep-alive', 'Connection: upgrade\r\nUpgrade: websocket']),
    mostly('', ['Expect: 100-continue', 'Expect: 100-Continue', 'Expect: nothing', 'Expect:']),
    fc.array(header, { maxLength: 3 }).map((lines) => lines.join('\r\n')),
    fc.nat(7),
  )
  .map(([first, { body, lines }, ...others]) => {
    const turned = others.pop() as number;
    const headers = [...(others as string[]), ...lines].filter((each) => each !== '');
    return `${[first, ...headers.slice(turned), ...headers.slice(0, turned)].join('\r\n')}\r\n\r\n${body}`;
  });
