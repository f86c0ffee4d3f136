import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { printable, UsageError } from '@plant-store/command-line';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { type CastingContext, CsvError, type Info, parse } from 'csv-parse';
import { idOf, type Line, MAX_LINE_BYTES, readRecord } from './line.ts';

/** What the parser says of a record. Its types do not know the error of one with too few or too many fields. */
interface Parsed {
  readonly record: { readonly id?: string };
  readonly info: Info & { readonly error?: Error };
}

/**
 * Reads CSV (RFC 4180) with a header row that has `id` and the fields of a plant. As in PostgreSQL's COPY, a field that is
 * empty and not quoted is absent: `""` is an empty tag.
 *
 * @param ignoreColumns whether columns that a plant does not have are allowed.
 * @throws {UsageError} if the header row does not fit.
 * @throws {Error} at unbalanced quotes, and at a record that is too long, which may lack a closing one.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, ignoreColumns: boolean): AsyncGenerator<Line, void> {
  let hasHeader = false;
  let last = 0;
  const parser = parse({
    cast: readField,
    columns(header: string[]) {
      hasHeader = true;
      return readHeader(header, ignoreColumns);
    },
    // Every byte as a character: decoding UTF-8 would change what is not valid.
    encoding: 'latin1',
    info: true,
    max_record_size: MAX_LINE_BYTES,
    record_delimiter: ['\r\n', '\n'],
    // A record with too few or too many fields is rejected alone.
    relax_column_count: true,
    skip_empty_lines: true,
  });
  try {
    const records = Readable.from(chunks, { objectMode: false }).compose(parser);
    for await (const { record, info } of records as AsyncIterable<Parsed>) {
      last = info.lines;
      const place = { line: last, end: info.bytes };
      if (info.error) yield { ...place, reason: info.error.message };
      else yield readRecord(place, { ...record, id: record.id && (idOf(record.id) ?? record.id) });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The message may have a field in it.
    throw new Error(`the record after line ${last}: ${error.message.slice(0, 200)}`, { cause: error });
  }
  if (!hasHeader) throw new UsageError(expected);
}

const fields: readonly string[] = ['id', ...textFields];
const required = fields.filter((field) => !optionalTextFields.some((optional) => optional === field));
const expected = `the first line: expected a header row with the columns ${required.join(', ')} and optionally ${optionalTextFields.join(', ')}, separated by commas`;

/** Undefined if the field is absent; its bytes if they are no text. */
function readField(field: string, { header, quoting }: CastingContext): unknown {
  if (field === '' && !quoting && !header) return undefined;
  const bytes = Buffer.from(field, 'latin1');
  const text = bytes.toString();
  return header || isUtf8(bytes) ? text : bytes;
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
