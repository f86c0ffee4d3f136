import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { exactInteger } from '@plant-store/adapters-http/json';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { CsvError, type InfoField, type InfoRecord, parse } from 'csv-parse';
import { UsageError } from '../errors.ts';
import { printable } from '../printable.ts';
import { type Line, MAX_LINE_BYTES, readRecord } from './line.ts';

/**
 * Reads CSV (RFC 4180) with a header row that contains `id` and the fields of a plant. As in PostgreSQL's COPY, an empty
 * unquoted field is absent, and `""` is an empty text.
 *
 * @param ignoreColumns whether to allow unknown columns.
 * @throws {UsageError} if the header row is invalid, or the file is UTF-16.
 * @throws {Error} if quotes are unbalanced, or a record is too long, because it may lack a closing quote.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, ignoreColumns: boolean): AsyncGenerator<Line, void> {
  /** The last line of the last complete record. */
  let end = 1;
  const parser = parse({
    cast: readField,
    columns: (header: string[]) => readHeader(header, ignoreColumns),
    // Decodes each byte as one character, because decoding UTF-8 would replace invalid bytes.
    encoding: 'latin1',
    max_record_size: MAX_LINE_BYTES,
    on_record: ({ id, ...texts }: Record<string, string>, { lines, error }: InfoRecord): Line => {
      end = lines;
      // Only the record with the wrong number of fields is rejected.
      if (error) return { line: lines, reason: error.message };
      return { line: lines, ...readRecord({ ...texts, id: id && (exactInteger(id) ?? id) }) };
    },
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  try {
    yield* Readable.from(withoutBom(chunks), { objectMode: false }).compose(parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The message may contain a field.
    throw new Error(`the record after line ${end}: ${error.message.slice(0, 200)}`, { cause: error });
  }
}

/** Removes the byte order mark of UTF-8. csv-parse's `bom` option would also decode the file leniently. */
async function* withoutBom(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && UTF_16.test(chunk.toString('latin1', 0, 2)))
      throw new UsageError('the file is UTF-16: save it as UTF-8');
    yield isFirst && chunk.indexOf('\ufeff') === 0 ? chunk.subarray(3) : chunk;
    isFirst = false;
  }
}

/** Matches a byte order mark of UTF-16, or an ASCII character in UTF-16. */
const UTF_16 = /^(?:\xff\xfe|\xfe\xff|.?\0)/s;

const fields: readonly string[] = ['id', ...textFields];
const required = fields.filter((field) => !optionalTextFields.some((optional) => optional === field));
const expected = `the first line: expected a header row with the columns ${required.join(', ')} and optionally ${optionalTextFields.join(', ')}, separated by commas`;

/** Returns undefined for an absent field, and the bytes if they are not UTF-8. */
function readField(field: string, { header, quoting }: InfoField): unknown {
  if (field === '' && !quoting && !header) return undefined;
  const bytes = Buffer.from(field, 'latin1');
  return header || isUtf8(bytes) ? bytes.toString() : bytes;
}

/** Returns the name of each column, or false to ignore it. */
function readHeader(names: readonly string[], ignoreColumns: boolean): (string | false)[] {
  const isRepeated = fields.some((field) => names.indexOf(field) !== names.lastIndexOf(field));
  if (isRepeated || required.some((field) => !names.includes(field))) throw new UsageError(expected);
  const unknown = names.filter((name) => !fields.includes(name)).map((name) => printable(name) || '""');
  if (unknown.length === 0 || ignoreColumns) return names.map((name) => fields.includes(name) && name);
  throw new UsageError(
    `the header row has columns that a plant does not have: ${unknown.join(', ')}; remove or rename them, or pass --ignore-columns`,
  );
}
