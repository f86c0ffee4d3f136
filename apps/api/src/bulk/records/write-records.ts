import { type NewPlant, plantOf, textFields } from '@plant-store/domain';
import { stringify } from 'csv-stringify/sync';
import type { Format } from './format.ts';

/** Writes plants in a format, deterministically. Yields pieces of about 64 KiB. */
export async function* writeRecords(plants: AsyncIterable<NewPlant>, format: Format): AsyncGenerator<string, void> {
  const { header, write } = writers[format];
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

/** A NewPlant as JSON, without a line feed. */
export function toJson(plant: NewPlant): string {
  // JSON.stringify does not support bigints.
  return `{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}`;
}

const writers: Readonly<Record<Format, { readonly header: string; write(plant: NewPlant): string }>> = {
  ndjson: { header: '', write: (plant) => `${toJson(plant)}\n` },
  csv: { header: `${['id', ...textFields].join(',')}\r\n`, write: toCsv },
};

function toCsv(plant: NewPlant): string {
  return stringify([[String(plant.id), ...textFields.map((field) => plant[field])]], {
    record_delimiter: 'windows',
    // RFC 4180, section 2.6: the library itself quotes only fields that contain the whole record delimiter, CR LF.
    quoted_match: /[\r\n]/,
    // A quoted empty field is an empty string, an unquoted one is absent.
    cast: { string: (text) => (text === '' ? { value: text, quoted_empty: true } : text) },
  });
}
