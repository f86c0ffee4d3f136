import fc from 'fast-check';
import { request } from '../echo-server.ts';
import { oddRequests, unfinished } from './odd-requests.ts';

// Heads of any size are among the odd requests; here they stay well within what the parser takes.
const entry = fc.constantFrom(
  request(),
  ...[...oddRequests, ...unfinished].map(([, bytes]) => bytes).filter((bytes) => bytes.length < 4_000),
);

/** Up to four requests on one connection, odd and valid ones, changed in up to four places, cut into up to five segments. */
export function mutatedRequests(): fc.Arbitrary<Buffer[]> {
  return fc
    .tuple(fc.array(entry, { minLength: 1, maxLength: 4 }), fc.array(change, { maxLength: 4 }))
    .map(([entries, changes]) => changes.reduce((changed, next) => next(changed), entries.join('')))
    .filter((bytes) => bytes.length < 12_000)
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
  ...[
    'Connection: keep-alive\r\n',
    'Content-Encoding: br\r\n',
    'Upgrade: websocket\r\n',
    'garbage\r\n\r\n',
    'http://x',
  ],
];

/** Puts something in the place of some bytes: nothing, other bytes, twice the same, or a part of another request. */
const change = fc
  .tuple(
    fc.nat(0xffff),
    fc.boolean(),
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
  .map(([place, isLine, length, replace]) => (bytes: string) => {
    const anywhere = place % (bytes.length + 1);
    // Whole headers are most often still headers.
    const at = isLine ? bytes.indexOf('\n', anywhere) + 1 : anywhere;
    return bytes.slice(0, at) + replace(bytes.slice(at, at + length)) + bytes.slice(at + length);
  });
