/** RFC 8259, section 8.1, lets a parser ignore it; some editors and spreadsheets write one. */
export const BYTE_ORDER_MARK: Buffer = Buffer.from('\ufeff');

/** The beginning of a file without the mark that it may have. */
export function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}
