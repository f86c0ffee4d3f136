import { Readable } from 'node:stream';
import { printable } from '@plant-store/command-line';
import { type NewPlant, plantOf, textFields } from '@plant-store/domain';
import { stringify } from 'csv-stringify';
import type { Format } from './format.ts';

/** Writes plants in a format, deterministically. Lines for a terminal have no character that it obeys. */
export function writeRecords(
  plants: AsyncIterable<NewPlant>,
  format: Format,
  forTerminal: boolean,
): AsyncIterable<string> {
  const shown = forTerminal ? printable : (text: string) => text;
  return format === 'csv' ? writeCsv(plants, shown) : writeNdjson(plants, shown);
}

/** Pieces of about 64 KiB: a write per plant would take longer than the plant. */
async function* writeNdjson(
  plants: AsyncIterable<NewPlant>,
  shown: (text: string) => string,
): AsyncGenerator<string, void> {
  let text = '';
  for await (const plant of plants) {
    // JSON.stringify does not support bigints. What is escaped stays the same JSON.
    text += `${shown(`{"id":${plant.id},${JSON.stringify(plantOf(plant)).slice(1)}`)}\n`;
    if (text.length < 64 * 1024) continue;
    yield text;
    text = '';
  }
  yield text;
}

function writeCsv(plants: AsyncIterable<NewPlant>, shown: (text: string) => string): AsyncIterable<string> {
  return Readable.from(plants).compose(
    stringify({
      header: true,
      columns: ['id', ...textFields],
      record_delimiter: 'windows',
      // RFC 4180, section 2.6: the library itself quotes only fields that contain the whole record delimiter, CR LF.
      quoted_match: /[\r\n]/,
      // A quoted empty field is an empty text, an unquoted one is absent.
      cast: { string: (text) => (text === '' ? { value: text, quoted_empty: true } : shown(text)) },
    }),
  );
}
