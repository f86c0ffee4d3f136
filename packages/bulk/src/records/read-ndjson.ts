import { parseJson } from '@plant-store/adapters-http/records';
import { BYTE_ORDER_MARK, withoutMark } from './byte-order-mark.ts';
import { type Line, type ReadOptions, readLine, tooLong } from './line.ts';
import { splitLines } from './split-lines.ts';

/** Reads NDJSON: a NewPlant per line, parsed exactly as the service parses a request body. Skips blank lines, which are counted, and a byte order mark. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  { maxBytes, fromLine }: Pick<ReadOptions, 'maxBytes' | 'fromLine'>,
): AsyncGenerator<Line, void> {
  let line = 0;
  let end = 0;
  for await (const lines of splitLines(withoutByteOrderMark(chunks), maxBytes)) {
    for (const text of lines) {
      const bytes = typeof text === 'number' ? text : text.length;
      line += 1;
      end += bytes + 1;
      if (line < fromLine) continue;
      if (typeof text === 'number') yield { line, end, reason: `the line: ${tooLong(maxBytes)}` };
      else if (!isBlank(text)) yield readLine({ line, bytes, end }, () => parseJson(text));
    }
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN);
}

const CARRIAGE_RETURN = 0x0d;

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (!start) yield chunk;
    else {
      start = Buffer.concat([start, chunk]);
      if (start.length < BYTE_ORDER_MARK.length) continue;
      yield withoutMark(start);
      start = undefined;
    }
  }
  if (start) yield start;
}
