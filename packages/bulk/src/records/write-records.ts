import { printable } from '@plant-store/command-line';
import { type NewPlant, textFields } from '@plant-store/domain';
import { stringify } from 'csv-stringify/sync';
import type { Format } from './format.ts';
import { escapeFormula } from './formulas.ts';
import { toJson } from './to-json.ts';

export interface WriteOptions {
  readonly format: Format;
  /** In CSV: texts that a spreadsheet would run get an apostrophe. */
  readonly escapeFormulas?: boolean;
  /** What could control a terminal is escaped. NDJSON stays the same JSON; CSV does not. */
  readonly forTerminal?: boolean;
}

/** Writes plants in a format, deterministically. Yields pieces of about 64 KiB. */
export async function* writeRecords(
  plants: AsyncIterable<NewPlant>,
  options: WriteOptions,
): AsyncGenerator<string, void> {
  const { header, write } = writers[options.format](options);
  let text = header;
  for await (const plant of plants) {
    text += write(plant);
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

const PIECE = 64 * 1024;

interface Writer {
  readonly header: string;
  write(plant: NewPlant): string;
}

const writers: Readonly<Record<Format, (options: WriteOptions) => Writer>> = {
  ndjson: ({ forTerminal }) => ({
    header: '',
    write: (plant) => `${forTerminal ? printable(toJson(plant)) : toJson(plant)}\n`,
  }),
  csv: ({ escapeFormulas, forTerminal }) => {
    const escaped = (text: string | undefined) => (text && escapeFormulas ? escapeFormula(text) : text);
    const shown = (text: string | undefined) => (text && forTerminal ? printable(text) : text);
    const fieldsOf = (plant: NewPlant) => textFields.map((field) => shown(escaped(plant[field])));
    return {
      header: `${['id', ...textFields].join(',')}\r\n`,
      write: (plant) => toCsv([String(plant.id), ...fieldsOf(plant)]),
    };
  },
};

function toCsv(record: readonly (string | undefined)[]): string {
  return stringify([[...record]], {
    record_delimiter: 'windows',
    // RFC 4180, section 2.6: the library itself quotes only fields that contain the whole record delimiter, CR LF.
    quoted_match: /[\r\n]/,
    // A quoted empty field is an empty string, an unquoted one is absent.
    cast: { string: (text) => (text === '' ? { value: text, quoted_empty: true } : text) },
  });
}
