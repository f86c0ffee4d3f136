import fc from 'fast-check';
import { corpus } from './corpus.ts';

/** Bytes of the corpus, changed in up to four places, cut into up to five segments. */
export function mutatedBytes(): fc.Arbitrary<Buffer[]> {
  return (
    fc
      .tuple(entry, fc.array(change, { maxLength: 4 }))
      .map(([bytes, changes]) => changes.reduce((changed, next) => next(changed), bytes))
      // Heads of any size are the contract's; here they stay well within what the parser takes.
      .filter((bytes) => bytes.length < 12_000)
      .chain(inSegments)
  );
}

/** The bytes as they may arrive. */
export function inSegments(bytes: string): fc.Arbitrary<Buffer[]> {
  return fc.array(fc.nat(bytes.length), { maxLength: 4 }).map((cuts) => {
    const ends = [...cuts.sort((one, other) => one - other), bytes.length];
    return ends.map((end, at) => Buffer.from(bytes.slice(ends[at - 1] ?? 0, end), 'latin1'));
  });
}

type Change = (bytes: string) => string;

const entry = fc.constantFrom(...corpus.map(([, bytes]) => bytes));
const place = fc.nat(0xffff);
const length = fc.oneof(fc.constant(1), fc.nat(8), fc.nat(400));

/** What parsers disagree on. */
const fragment = fc.constantFrom(
  ...['\r\n', '\n', '\r', '\r\n\r\n', '\0', ' ', '\t', '\v', ':', ',', ';', '"', '%', '#', '\x7f', '\xff', '0\r\n\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Connection: close\r\n'],
  ...['Host: y\r\n', 'Expect: 100-continue\r\n', 'HTTP/1.0', 'GET', 'HEAD', 'TRACE', '/plants', '{', '"', '\\', '1e9'],
);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => flip(at, bits)),
  fc.tuple(place, length).map(([at, count]) => split(at, count, (before, _cut, after) => before + after)),
  fc
    .tuple(place, length)
    .map(([at, count]) => split(at, count, (before, twice, after) => before + twice + twice + after)),
  fc
    .tuple(place, length, fragment)
    .map(([at, count, text]) => split(at, count, (before, _cut, after) => before + text + after)),
  fc.tuple(place, fragment).map(([at, text]) => split(at, 0, (before, _none, after) => before + text + after)),
  fc
    .tuple(place, fc.uint8Array({ maxLength: 8 }))
    .map(([at, bytes]) =>
      split(at, 0, (before, _none, after) => before + Buffer.from(bytes).toString('latin1') + after),
    ),
  fc.tuple(place, entry, place).map(
    ([at, other, from]): Change =>
      (bytes) =>
        bytes.slice(0, at % (bytes.length + 1)) + other.slice(from % (other.length + 1)),
  ),
  entry.map(
    (other): Change =>
      (bytes) =>
        bytes + other,
  ),
);

function flip(at: number, bits: number): Change {
  return (bytes) => {
    const index = at % Math.max(bytes.length, 1);
    return bytes.slice(0, index) + String.fromCharCode(bytes.charCodeAt(index) ^ bits) + bytes.slice(index + 1);
  };
}

function split(at: number, count: number, join: (before: string, middle: string, after: string) => string): Change {
  return (bytes) => {
    const index = at % (bytes.length + 1);
    return join(bytes.slice(0, index), bytes.slice(index, index + count), bytes.slice(index + count));
  };
}
