import { Readable } from 'node:stream';
import { type NewPlant, plantOf, textFields } from '@plant-store/domain';
import { stringify } from 'csv-stringify';
import type { Format } from './format.ts';

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
