import { isUtf8 } from 'node:buffer';
import { type InvalidJson, parseJsonText } from '@plant-store/adapters-http/json';
import { type Line, MAX_LINE_BYTES, type ParsedRecord, readRecord } from './line.ts';

/**
 * Reads NDJSON: a NewPlant per line. Blank lines are skipped, but counted. Node's readline is not used, because it has no limit
 * for a line and replaces invalid UTF-8.
 */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void> {
  let line = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let feed = bytes.indexOf('\n'); feed >= 0; feed = bytes.indexOf('\n', start)) {
      line += 1;
      const read = readLine(bytes.subarray(start, feed));
      if (read) yield { line, ...read };
      start = feed + 1;
    }
    // Keeps enough of the line to detect that it is too long.
    rest = bytes.subarray(start, start + MAX_LINE_BYTES + 1);
  }
  const read = readLine(rest);
  if (read) yield { line: line + 1, ...read };
}

/** Returns undefined for a blank line. */
function readLine(bytes: Buffer): ParsedRecord | undefined {
  if (bytes.length > MAX_LINE_BYTES) return { reason: `the line is longer than ${MAX_LINE_BYTES} bytes` };
  if (!isUtf8(bytes)) return { reason: 'the line is not valid UTF-8' };
  // Also removes a carriage return and a byte order mark, which a parser may ignore (RFC 8259, section 8.1).
  const text = bytes.toString().trim();
  if (text === '') return undefined;
  try {
    return readRecord(parseJsonText(text));
  } catch (error) {
    return { reason: `the line is ${(error as InvalidJson).message}` };
  }
}
