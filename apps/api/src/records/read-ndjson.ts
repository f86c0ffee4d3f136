import { parseJsonBody, readNewPlant } from '@plant-store/adapters-http';
import { type Line, readLine, tooLong } from './line.ts';
import { splitLines } from './split-lines.ts';

/** Reads NDJSON: a NewPlant as JSON on each line, exactly as the service would read it from a body. Blank lines count. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  { maxBytes, fromLine }: { readonly maxBytes: number; readonly fromLine: number },
): AsyncGenerator<Line, void> {
  let line = 0;
  for await (const lines of splitLines(chunks, maxBytes)) {
    for (const bytes of lines) {
      line += 1;
      if (line < fromLine) continue;
      if (bytes === undefined) yield { line, reason: tooLong(maxBytes) };
      else if (!isBlank(bytes)) yield readLine(line, bytes.length, () => readNewPlant(parseJsonBody(bytes)));
    }
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length === 1 && bytes[0] === CARRIAGE_RETURN);
}

const CARRIAGE_RETURN = 0x0d;
