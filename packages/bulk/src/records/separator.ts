import { withoutMark } from './byte-order-mark.ts';

/** What separates the fields of a CSV file. Spreadsheets write semicolons where the decimal separator is a comma. */
export type Separator = (typeof separators)[number];

const separators = [',', ';'] as const;

export const nameOf: Readonly<Record<Separator, string>> = { ',': 'a comma', ';': 'a semicolon' };

/** The separator with which the header row has the columns; a comma if neither has. */
export function separatorOf(header: string, columns: readonly string[]): Separator {
  const namesBy = (separator: Separator) => header.split(separator).map((name) => name.replace(/^"(.*)"$/, '$1'));
  return separators.find((separator) => columns.every((column) => namesBy(separator).includes(column))) ?? ',';
}

/**
 * Reads ahead to the end of the first line that is not blank, or `maxBytes`; `all` are all chunks from the beginning, without
 * a byte order mark.
 */
export async function peekLine(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly line: string; readonly all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let isBegun = false;
  for (let length = 0, isDone = false; !isDone && length <= maxBytes; ) {
    const next = await iterator.next();
    if (next.done) break;
    const chunk: Buffer = next.value;
    read.push(chunk);
    length += chunk.length;
    // Each byte is looked at once: nothing bounds what comes before the first line end.
    const begin: number = isBegun ? 0 : chunk.findIndex(isVisible);
    isBegun ||= begin >= 0;
    isDone = isBegun && chunk.subarray(begin).some(endsLine);
  }
  const bytes = withoutMark(Buffer.concat(read));
  async function* all(): AsyncGenerator<Buffer, void> {
    yield bytes;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { line: /\S.*/.exec(bytes.toString())?.[0] ?? '', all: all() };
}

/** Whether it is a visible character of ASCII, as a header row has them. */
function isVisible(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}

function endsLine(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}
