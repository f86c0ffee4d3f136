import { isUtf8 } from 'node:buffer';
import { idOf, type Line, MAX_LINE_BYTES, type Place, readRecord } from './line.ts';

/**
 * Reads NDJSON: a NewPlant per line. Blank lines are skipped, and counted. Splitting lines is our own, because Node's
 * readline decodes them, and so changes what is not UTF-8.
 */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void> {
  let line = 0;
  let end = 0;
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of withLastFeed(chunks)) {
    let start = 0;
    for (let feed = chunk.indexOf('\n'); feed >= 0; feed = chunk.indexOf('\n', start)) {
      pieces.push(chunk.subarray(start, feed));
      length += feed - start;
      start = feed + 1;
      line += 1;
      end += length + 1;
      const isTooLong = length > MAX_LINE_BYTES;
      if (isTooLong) yield { line, end, reason: `the line is longer than ${MAX_LINE_BYTES} bytes` };
      else if (length > 0) yield* readLine({ line, end }, Buffer.concat(pieces));
      pieces = [];
      length = 0;
    }
    length += chunk.length - start;
    // The beginning of a line that is too long is not kept.
    if (length > MAX_LINE_BYTES) pieces = [];
    else pieces.push(chunk.subarray(start));
  }
}

async function* withLastFeed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield* chunks;
  yield Buffer.from('\n');
}

function* readLine(place: Place, bytes: Buffer): Generator<Line, void> {
  if (!isUtf8(bytes)) return yield { ...place, reason: 'the line is not valid UTF-8' };
  const text = bytes.toString();
  if (text === '\r') return;
  let record: unknown;
  try {
    record = JSON.parse(text, exactId as (key: string, value: unknown) => unknown);
  } catch {
    return yield { ...place, reason: 'the line is not valid JSON' };
  }
  yield readRecord(place, record);
}

/** A reviver. TypeScript's library does not know its context yet. */
function exactId(key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  return key === 'id' ? (idOf(source) ?? value) : value;
}
