import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { exactInteger, type InvalidJson, parseJsonText } from '@plant-store/adapters-http/json';
import {
  type NewPlant,
  optionalTextFields,
  parseNewPlant,
  plantOf,
  textFields,
  type ValidNewPlant,
} from '@plant-store/domain';
import { CsvError, type InfoField, type InfoRecord, parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { UsageError } from '../errors.ts';
import { printable } from '../printable.ts';

/** The format of a file: `ndjson`, one JSON text per line, or `csv`, RFC 4180 with a header row. */
export type Format = 'ndjson' | 'csv';

/**
 * Infers the format of a file from its name.
 * @throws {UsageError} if the name has no known extension, as `-` has none.
 */
export function formatOf(file: string): Format {
  if (/\.(?:ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.csv$/i.test(file)) return 'csv';
  throw new UsageError(`cannot infer the format of ${file} from its name: pass --format ndjson or --format csv`);
}

/** The plant of a record, or the reason why the record is invalid. */
export type ParsedRecord = { readonly plant: ValidNewPlant } | { readonly reason: string };

/** The record of a line, with its line number; for a record of several lines that of the last one. */
export type Line = { readonly line: number } & ParsedRecord;

/** A rejected line. */
export type Reject = Exclude<Line, { readonly plant: ValidNewPlant }>;

/** Parses a record whose id is a bigint, by the rules of the domain. */
export function readRecord(record: unknown): ParsedRecord {
  const parsed = parseNewPlant(record);
  if ('plant' in parsed) return parsed;
  return { reason: parsed.faults.map(({ field = 'the line', message }) => `${field} ${message}`).join('; ') };
}

/** 16 MiB: many times the largest plant that the service accepts by default, and small enough for memory. */
export const MAX_LINE_BYTES: number = 16 * 1024 * 1024;

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

/**
 * Reads NDJSON: a NewPlant per line. Blank lines are skipped, but counted. Node's readline is not used, because it has no limit
 * for a line and replaces invalid UTF-8.
 */
export async function* readNdjson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line, void> {
  let line = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let feed = bytes.indexOf('\n'); feed >= 0; feed = bytes.indexOf('\n', start)) {
      line += 1;
      const read = readLine(bytes.subarray(start, feed));
      if (read) yield { line, ...read };
      start = feed + 1;
    }
    // Keeps enough of the line to detect that it is too long.
    rest = bytes.subarray(start, start + MAX_LINE_BYTES + 1);
  }
  const read = readLine(rest);
  if (read) yield { line: line + 1, ...read };
}

/** Returns undefined for a blank line. */
function readLine(bytes: Buffer): ParsedRecord | undefined {
  if (bytes.length > MAX_LINE_BYTES) return { reason: `the line is longer than ${MAX_LINE_BYTES} bytes` };
  if (!isUtf8(bytes)) return { reason: 'the line is not valid UTF-8' };
  // Also removes a carriage return and a byte order mark, which a parser may ignore (RFC 8259, section 8.1).
  const text = bytes.toString().trim();
  if (text === '') return undefined;
  try {
    return readRecord(parseJsonText(text));
  } catch (error) {
    return { reason: `the line is ${(error as InvalidJson).message}` };
  }
}

/** Serializes plants. The same plants always produce the same text. */
export function writeRecords(plants: AsyncIterable<NewPlant>, format: Format): AsyncIterable<string> {
  if (format === 'ndjson') return writeNdjson(plants);
  const options = {
    header: true,
    columns: ['id', ...textFields],
    record_delimiter: 'windows',
    // A field that contains only a part of the delimiter is quoted too (RFC 4180, section 2.6).
    quote_record_delimiter: true,
    // A quoted empty field is an empty text, an unquoted one is absent.
    quoted_match: /^$/,
  };
  return Readable.from(plants).compose(stringify(options));
}

/** Yields chunks of about 64 KiB, because a write per plant would take longer than serializing it. */
async function* writeNdjson(plants: AsyncIterable<NewPlant>): AsyncGenerator<string, void> {
  let text = '';
  for await (const plant of plants) {
    // JSON.stringify does not support bigints.
    text += `{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}\n`;
    if (text.length < 64 * 1024) continue;
    yield text;
    text = '';
  }
  yield text;
}
