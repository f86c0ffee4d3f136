import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { printable, UsageError } from '@plant-store/command-line';
import { optionalTextFields, textFields } from '@plant-store/domain';
import { CsvError, type Info, parse } from 'csv-parse';
import { unescapeFormula } from './formulas.ts';
import { type BadLine, type Line, MalformedFile, type PlantLine, type ReadOptions, readLine, tooLong } from './line.ts';
import { nameOf, peekLine, type Separator, separatorOf } from './separator.ts';

/** The bytes of a field, as Latin-1; undefined if it is empty and not quoted. */
type Field = string | undefined;

/**
 * Reads CSV (RFC 4180), with semicolons too, and with a header row that has `id` and the fields of a plant. As in
 * PostgreSQL's COPY, a field that is empty and not quoted is absent: `""` is an empty tag.
 *
 * @throws {UsageError} if the header row lacks a column, or has one that a plant does not have and that is not to be
 * ignored.
 * @throws {MalformedFile} at unbalanced quotes, and at a record of more than `maxBytes`, which may lack a closing one.
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<Line, void> {
  const { maxBytes, fromLine, onNotice } = options;
  const { line: header, all } = await peekLine(chunks, maxBytes);
  const separator = separatorOf(header, required);
  if (separator !== ',') onNotice(`the fields are separated by ${nameOf[separator]}`);
  /** Where the parser is: the field that it read last. */
  let last: Place = { lines: 0, empty_lines: 0 };
  const records = Readable.from(all, { objectMode: false }).compose(
    parser(maxBytes, separator, (place) => {
      last = place;
    }),
  );
  let columns: Columns | undefined;
  let start = 0;
  try {
    for await (const { record, info } of records as AsyncIterable<{ record: Field[]; info: Info }>) {
      const { lines: line, bytes: end } = info;
      const bytes = end - start;
      start = end;
      if (!columns) columns = columnsOf(record, separator, options);
      else if (line >= fromLine) yield readRecord(record, columns, { line, bytes, end });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new MalformedFile(faultOf(error, last, maxBytes), { cause: error });
  }
  if (!columns) throw new UsageError(missing);
}

/** The lines that the parser has read, the last one included, and how many of them were empty. */
type Place = Pick<Info, 'lines' | 'empty_lines'>;

/**
 * Where the faulty field begins, and what is wrong. The parser says where it noticed, and in its messages are the field's
 * bytes. A quote that is not closed takes everything up to the next one.
 */
function faultOf(error: CsvError, last: Place, maxBytes: number): string {
  const { lines, empty_lines, index } = error as unknown as Place & { readonly index: number };
  const begins = index > 0 ? last.lines : last.lines + 1 + empty_lines - last.empty_lines;
  const opens = `line ${begins}: the quote that opens here`;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `${opens} is not closed`;
    case 'CSV_INVALID_CLOSING_QUOTE':
      return `${opens} is closed on line ${lines} within a field: double the quotes inside a quoted field`;
    case 'CSV_MAX_RECORD_SIZE':
      if (lines > begins) return `${opens} is not closed by line ${lines}: close it, or: ${tooLong(maxBytes)}`;
      return `line ${begins}: ${tooLong(maxBytes)}, or close its quotes`;
    case 'INVALID_OPENING_QUOTE':
      return `line ${begins}: a quote within a field: quote the whole field and double the quotes inside`;
    default:
      return `line ${begins}: ${printable(error.message)}`;
  }
}

function parser(maxBytes: number, delimiter: Separator, onField: (place: Place) => void) {
  return parse({
    delimiter,
    // Keeps every byte: decoding UTF-8 would lose what is not valid. The parser counts the size of a record in strings only.
    encoding: 'latin1',
    info: true,
    max_record_size: maxBytes,
    record_delimiter: ['\r\n', '\n'],
    // A record with too few or too many fields does not make the file malformed.
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (field, { quoting, lines, empty_lines, index }) => {
      // The parser does not count separators, so empty fields would have no end.
      if (index > maxBytes) throw new CsvError('CSV_MAX_RECORD_SIZE', '', undefined, { lines, empty_lines, index });
      onField({ lines, empty_lines });
      return quoting || field.length > 0 ? field : undefined;
    },
  });
}

/** Where the header row has which field. */
interface Columns {
  readonly count: number;
  readonly separator: Separator;
  readonly indexOf: ReadonlyMap<(typeof fields)[number], number>;
  readonly textOf: (text: string) => string;
}

const fields = ['id', ...textFields] as const;
const required = fields.filter((field) => !optionalTextFields.some((optional) => optional === field));

const missing = `the first line: expected a header row with the columns ${required.join(', ')} and optionally ${optionalTextFields.join(', ')}, separated by commas or semicolons`;

function columnsOf(
  header: readonly Field[],
  separator: Separator,
  { ignoreColumns, unescapeFormulas, onNotice }: ReadOptions,
): Columns {
  const names = header.map((field) => field && bytesOf(field).toString());
  if (fields.some((field) => names.indexOf(field) !== names.lastIndexOf(field)))
    throw new UsageError(`${missing}, each once`);
  if (required.some((field) => !names.includes(field))) throw new UsageError(missing);
  const unknown = names.filter((name) => !fields.some((field) => field === name));
  if (unknown.length > 0) {
    const columns = `columns that a plant does not have: ${unknown.map((name = '') => printable(name) || '""').join(', ')}`;
    if (!ignoreColumns)
      throw new UsageError(`the header row has ${columns}; remove or rename them, or pass --ignore-columns`);
    onNotice(`ignoring ${columns}`);
  }
  const present = fields.filter((field) => names.includes(field));
  return {
    count: names.length,
    separator,
    indexOf: new Map(present.map((field) => [field, names.indexOf(field)])),
    textOf: unescapeFormulas ? unescapeFormula : (text) => text,
  };
}

function readRecord(
  record: readonly Field[],
  { count, separator, indexOf, textOf }: Columns,
  at: Omit<PlantLine, 'plant'>,
): Line {
  const bad = (reason: string): BadLine => ({ line: at.line, end: at.end, reason });
  if (record.length !== count)
    return bad(
      `the line: ${record.length} fields but ${count} columns in the header row; quote fields that contain ${nameOf[separator]}`,
    );
  const texts: Record<string, string> = {};
  for (const [field, column] of indexOf) {
    const bytes = record[column] === undefined ? undefined : bytesOf(record[column]);
    if (bytes && !isUtf8(bytes)) return bad('the line is not valid UTF-8');
    if (bytes) texts[field] = field === 'id' ? bytes.toString() : textOf(bytes.toString());
  }
  const { id = '', ...plant } = texts;
  return readLine(at, () => ({ ...plant, id: /^-?\d{1,19}$/.test(id) ? BigInt(id) : id }));
}

function bytesOf(field: string): Buffer {
  return Buffer.from(field, 'latin1');
}
