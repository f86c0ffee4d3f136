/**
 * Splits bytes into lines at each line feed, which is removed. A line of more than `maxBytes` is not buffered; its length is
 * returned instead. Node's readline decodes the lines, and so loses what is not valid UTF-8.
 *
 * @returns the lines of a chunk as an array: an asynchronous step per line would take longer than the line itself.
 */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<readonly (Buffer | number)[], void> {
  let pieces: Buffer[] = [];
  let length = 0;

  function keep(piece: Buffer): void {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else pieces.push(piece);
  }

  function end(): Buffer | number {
    const [only, ...others] = pieces;
    const whole = only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
    const line = length > maxBytes ? length : whole;
    pieces = [];
    length = 0;
    return line;
  }

  for await (const chunk of chunks) {
    const lines: (Buffer | number)[] = [];
    let start = 0;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, feed));
      lines.push(end());
      start = feed + 1;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [end()];
}

const LINE_FEED = 0x0a;
