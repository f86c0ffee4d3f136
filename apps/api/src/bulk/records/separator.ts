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
  let start: Buffer = Buffer.alloc(0);
  for (let isDone = false; !isDone && start.length <= maxBytes && !/\S.*[\r\n]/.test(start.toString()); ) {
    const next = await iterator.next();
    isDone = next.done === true;
    if (!isDone) start = Buffer.concat([start, next.value]);
  }
  const bytes = withoutMark(start);
  async function* all(): AsyncGenerator<Buffer, void> {
    yield bytes;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { line: /\S.*/.exec(bytes.toString())?.[0] ?? '', all: all() };
}
