import { type NewPlant, plantOf } from '@plant-store/domain';
import { stringify } from 'csv-stringify/sync';
import type { Format } from './format.ts';

/** Writes plants in a format; the same plants are always the same bytes. Texts come in pieces of some kilobytes. */
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

/** A NewPlant as JSON, in one line without an end. */
export function toJson(plant: NewPlant): string {
  // JSON.stringify has no bigints.
  return `{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}`;
}

const writers: Readonly<Record<Format, { readonly header: string; write(plant: NewPlant): string }>> = {
  ndjson: { header: '', write: (plant) => `${toJson(plant)}\n` },
  csv: { header: 'id,name,tag\r\n', write: toCsv },
};

function toCsv({ id, name, tag }: NewPlant): string {
  return stringify([[String(id), name, tag]], {
    record_delimiter: 'windows',
    // RFC 4180, section 2.6: by itself it quotes what its own record delimiter is in, both characters of it.
    quoted_match: /[\r\n]/,
    // A quoted nothing is an empty text; without quotes it is none.
    cast: { string: (text) => (text === '' ? { value: text, quoted_empty: true } : text) },
  });
}
