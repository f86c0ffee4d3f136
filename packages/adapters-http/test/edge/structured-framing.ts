import fc from 'fast-check';
import { newPlantTexts } from './structured-bodies.ts';

/** A body as it goes over the wire, and the header lines that say how long it is. */
export interface FramedBody {
  readonly framing: readonly string[];
  readonly bytes: string;
}

/** Bodies whose length is declared right, mostly, in one way or the other. */
export function framedBodies(): fc.Arbitrary<FramedBody> {
  const body = newPlantTexts().map((text) => Buffer.from(text).toString('latin1'));
  return fc.oneof(
    { weight: 12, arbitrary: body.map((bytes) => ({ framing: [`Content-Length: ${bytes.length}`], bytes })) },
    { weight: 8, arbitrary: body.chain(inChunks).map((bytes) => ({ framing: ['Transfer-Encoding: chunked'], bytes })) },
    { weight: 1, arbitrary: fc.tuple(body, misleading).map(([bytes, framing]) => ({ framing, bytes })) },
    {
      weight: 1,
      arbitrary: fc.tuple(body.chain(inChunks), misleading).map(([bytes, framing]) => ({ framing, bytes })),
    },
  );
}

const misleading = fc.constantFrom(
  [],
  ['Content-Length: 0'],
  ['Content-Length: 7'],
  ['Content-Length: 100000'],
  ['Content-Length: 1048577'],
  ['Content-Length: 7', 'Content-Length: 8'],
  ['Content-Length: 7, 7'],
  ['Content-Length: -7'],
  ['Content-Length: 0x7'],
  ['Content-Length: 7', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 7'],
  ['Transfer-Encoding: gzip, chunked'],
  ['Transfer-Encoding: chunked, chunked'],
  ['Transfer-Encoding: identity'],
  ['Transfer-Encoding:\vchunked'],
);

function inChunks(body: string): fc.Arbitrary<string> {
  const extension = fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    fc.constantFrom(';a', ';a=b', ';a="b c"', ';', ' ', ';a=\0'),
  );
  const trailer = fc.oneof(
    { weight: 6, arbitrary: fc.constant('') },
    fc.constantFrom('X: y\r\n', 'Content-Length: 5\r\n', 'X\r\n', 'X: y\n'),
  );
  return fc
    .tuple(fc.array(fc.nat(body.length), { maxLength: 3 }), fc.boolean(), extension, trailer)
    .map(([cuts, upper, ext, trailers]) => {
      const ends = [...new Set([...cuts, body.length])].filter((end) => end > 0).sort((one, other) => one - other);
      const chunks = ends.map((end, at) => {
        const text = body.slice(ends[at - 1] ?? 0, end);
        const size = text.length.toString(16);
        return `${upper ? size.toUpperCase() : size}${ext}\r\n${text}\r\n`;
      });
      return `${chunks.join('')}0\r\n${trailers}\r\n`;
    });
}
