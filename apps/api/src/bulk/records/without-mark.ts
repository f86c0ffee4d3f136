const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Removes a byte order mark, which RFC 8259, section 8.1, lets a parser ignore. csv-parse's `bom` would decode the file
 * leniently.
 */
export async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let start = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of chunks) {
    if (isBegun) yield chunk;
    else {
      start = Buffer.concat([start, chunk]);
      isBegun = start.length >= BYTE_ORDER_MARK.length;
      if (isBegun) yield start.indexOf(BYTE_ORDER_MARK) === 0 ? start.subarray(BYTE_ORDER_MARK.length) : start;
    }
  }
  if (!isBegun) yield start;
}
