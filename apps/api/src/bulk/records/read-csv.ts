import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { readNewPlant } from '@plant-store/adapters-http';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { CsvError, type Info, parse } from 'csv-parse';
import { UsageError } from '../../errors.ts';
import { type BadLine, type Line, MalformedFile, type PlantLine, readLine, tooLong } from './line.ts';

/** The bytes of a field; undefined if it is empty and not quoted. */
type Field = Buffer | undefined;

/**
 * Reads CSV (RFC 4180) with a header row that has `id` and the fields of a plant; other columns are ignored. As in
 * PostgreSQL's COPY, a field that is empty and not quoted is absent: `""` is an empty tag.
 *
 * @throws {UsageError} if the header row lacks a column.
 * @throws {MalformedFile} at unbalanced quotes, and at a record of more than `maxBytes`, which may lack a closing one.
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  { maxBytes, fromLine }: { readonly maxBytes: number; readonly fromLine: number },
): AsyncGenerator<Line, void> {
  const records = Readable.from(chunks, { objectMode: false }).compose(parser(maxBytes));
  let columns: Columns | undefined;
  let start = 0;
  try {
    for await (const { record, info } of records as AsyncIterable<{ record: Field[]; info: Info }>) {
      const { lines: line, bytes: end } = info;
      const bytes = end - start;
      start = end;
      if (!columns) columns = columnsOf(record);
      else if (line >= fromLine) yield readRecord(record, columns, { line, bytes, end });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new MalformedFile(`line ${error['lines'] ?? '?'}: ${faultOf(error, maxBytes)}`, { cause: error });
  }
  if (!columns) throw new UsageError(missing);
}

function faultOf({ code, message }: CsvError, maxBytes: number): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `${tooLong(maxBytes)}, or close its quotes`;
  // The parser's message contains the field's bytes.
  if (code === 'INVALID_OPENING_QUOTE')
    return 'Invalid Opening Quote: quote the whole field and double the quotes inside';
  return message;
}

function parser(maxBytes: number) {
  return parse({
    // Bytes: decoding would lose what is not valid UTF-8. The option `bom` would decode.
    encoding: null,
    info: true,
    max_record_size: maxBytes,
    record_delimiter: ['\r\n', '\n'],
    // A record with too few or too many fields does not make the file malformed.
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (field, { quoting }) => (quoting || field.length > 0 ? field : undefined),
  });
}

/** Where the header row has which field. */
interface Columns {
  readonly count: number;
  readonly indexOf: ReadonlyMap<(typeof fields)[number], number>;
}

const fields = ['id', ...textFields] as const;
const required = fields.filter((field) => !optionalTextFields.some((optional) => optional === field));

const BYTE_ORDER_MARK = '\ufeff';

const missing = `the first line: expected a header row with the columns ${required.join(', ')} and optionally ${optionalTextFields.join(', ')}`;

function columnsOf(header: readonly Field[]): Columns {
  const names = header.map((field, at) =>
    field?.toString().slice(at === 0 && field.indexOf(BYTE_ORDER_MARK) === 0 ? 1 : 0),
  );
  if (fields.some((field) => names.indexOf(field) !== names.lastIndexOf(field)))
    throw new UsageError(`${missing}, each once`);
  if (required.some((field) => !names.includes(field))) throw new UsageError(missing);
  const present = fields.filter((field) => names.includes(field));
  return { count: names.length, indexOf: new Map(present.map((field) => [field, names.indexOf(field)])) };
}

function readRecord(record: readonly Field[], { count, indexOf }: Columns, at: Omit<PlantLine, 'plant'>): Line {
  const bad = (reason: string): BadLine => ({ line: at.line, end: at.end, reason });
  if (record.length !== count)
    return bad(
      `the line: ${record.length} fields but ${count} columns in the header row; quote fields that contain a comma`,
    );
  const texts: Record<string, string> = {};
  for (const [field, column] of indexOf) {
    const bytes = record[column];
    if (bytes && !isUtf8(bytes)) return bad('the line is not valid UTF-8');
    if (bytes) texts[field] = bytes.toString();
  }
  const { id = '', ...plant } = texts;
  return readLine(at, () => readNewPlant({ ...plant, id: /^-?\d{1,19}$/.test(id) ? BigInt(id) : id }));
}
