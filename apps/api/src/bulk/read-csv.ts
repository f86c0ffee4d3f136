import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { CsvError, type InfoField, type InfoRecord, parse } from 'csv-parse';
import { UsageError } from '../errors.ts';
import { printable } from '../printable.ts';
import { idOf, type Line, MAX_LINE_BYTES, readRecord } from './line.ts';

/**
 * Reads CSV (RFC 4180) with a header row that has `id` and the fields of a plant. As in PostgreSQL's COPY, a field that is
 * empty and not quoted is absent: `""` is an empty tag.
 *
 * @param ignoreColumns whether columns that a plant does not have are allowed.
 * @throws {UsageError} if the header row does not fit, or the file is UTF-16.
 * @throws {Error} at unbalanced quotes, and at a record that is too long, which may lack a closing one.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, ignoreColumns: boolean): AsyncGenerator<Line, void> {
  /** The line in which the last whole record ends. */
  let end = 1;
  const parser = parse({
    cast: readField,
    columns: (header: string[]) => readHeader(header, ignoreColumns),
    // Every byte as a character: decoding UTF-8 would change what is not valid.
    encoding: 'latin1',
    max_record_size: MAX_LINE_BYTES,
    on_record: ({ id, ...texts }: Record<string, string>, { lines, error }: InfoRecord): Line => {
      end = lines;
      // A record with too few or too many fields is rejected alone.
      if (error) return { line: lines, reason: error.message };
      return { line: lines, ...readRecord({ ...texts, id: id && (idOf(id) ?? id) }) };
    },
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  try {
    yield* Readable.from(withoutMark(chunks), { objectMode: false }).compose(parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The message may have a field in it.
    throw new Error(`the record after line ${end}: ${error.message.slice(0, 200)}`, { cause: error });
  }
}

/** Removes the byte order mark of UTF-8. csv-parse's `bom` would decode the file leniently. */
async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && UTF_16.test(chunk.toString('latin1', 0, 2)))
      throw new UsageError('the file is UTF-16: save it as UTF-8');
    yield isFirst && chunk.indexOf('\ufeff') === 0 ? chunk.subarray(3) : chunk;
    isFirst = false;
  }
}

/** A byte order mark of UTF-16, or ASCII in it. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|.?\0)/s;

const fields: readonly string[] = ['id', ...textFields];
const required = fields.filter((field) => !optionalTextFields.some((optional) => optional === field));
const expected = `the first line: expected a header row with the columns ${required.join(', ')} and optionally ${optionalTextFields.join(', ')}, separated by commas`;

/** Undefined if the field is absent; its bytes if they are no text. */
function readField(field: string, { header, quoting }: InfoField): unknown {
  if (field === '' && !quoting && !header) return undefined;
  const bytes = Buffer.from(field, 'latin1');
  return header || isUtf8(bytes) ? bytes.toString() : bytes;
}

/** The columns to read; false for one to ignore. */
function readHeader(names: readonly string[], ignoreColumns: boolean): (string | false)[] {
  const isRepeated = fields.some((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (isRepeated || required.some((field) => !names.includes(field))) throw new UsageError(expected);
  const unknown = names.filter((name) => !fields.includes(name)).map((name) => printable(name) || '""');
  if (unknown.length === 0 || ignoreColumns) return names.map((name) => fields.includes(name) && name);
  throw new UsageError(
    `the header row has columns that a plant does not have: ${unknown.join(', ')}; remove or rename them, or pass --ignore-columns`,
  );
}
