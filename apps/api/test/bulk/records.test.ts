import { Readable } from 'node:stream';
import { INT64_MAX, INT64_MIN, isStorableText, type NewPlant, type Plant, textFields } from '@plant-store/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Format } from '../../src/bulk/records.ts';
import { type Line, MAX_LINE_BYTES, readCsv, readNdjson, writeRecords } from '../../src/bulk/records.ts';

const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...'",\r\n \ufeff=a') }))
  .filter(isStorableText);
const id = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const texts = Object.fromEntries(textFields.map((field) => [field, text])) as Record<keyof Plant, typeof text>;
const plant = fc.record({ id, ...texts }, { requiredKeys: ['id', 'name'], noNullPrototype: true });

/** The bytes in pieces of so many, as they may come. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The plant of each line, or why it has none. */
async function read(format: Format, bytes: Buffer | string, { size = 64, ignoreColumns = false } = {}) {
  const chunks = pieces(Buffer.from(bytes as string, 'latin1'), size);
  const lines = format === 'csv' ? readCsv(chunks, ignoreColumns) : readNdjson(chunks);
  const all: Line[] = await Readable.from(lines).toArray();
  return all.map((line) => ('plant' in line ? line.plant : `${line.line}: ${line.reason}`));
}

async function write(format: Format, plants: readonly NewPlant[]): Promise<Buffer> {
  return Buffer.from((await Readable.from(writeRecords(Readable.from(plants), format)).toArray()).join(''));
}

test.each<Format>(['ndjson', 'csv'])(
  '%s that was written is read back, in pieces of any size, and written again byte for byte',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(plant), fc.integer({ min: 1, max: 100 }), async (plants, size) => {
        const bytes = await write(format, plants);
        const came = await read(format, bytes, { size });
        expect(came).toStrictEqual(plants.map((one) => ({ ...one })));
        expect(await write(format, came as NewPlant[])).toEqual(bytes);
      }),
    );
  },
);

const fern = { id: 1n, name: 'Fern' };
const tooLong = `1: the line is longer than ${MAX_LINE_BYTES} bytes`;

const notAnId = (line: number) => `${line}: id must be an integer from -9223372036854775808 to 9223372036854775807`;

const noPlant = (line: number) => `${line}: the line must be an object with id and name`;

test.each<[Format, string, readonly unknown[], { size?: number; ignoreColumns?: boolean }?]>([
  ['ndjson', '\n\r\n{"id":1,"name":"Fern"}\r\nx', [fern, '4: the line is not valid JSON: column 1']],
  ['ndjson', '\xef\xbb\xbf{"id":1,"name":"Fern"}\n', [fern], { size: 1 }],
  ['ndjson', '{"id":9007199254740993,"name":"a","id2":[{"id":1.5}]}', [{ id: 9007199254740993n, name: 'a' }]],
  ['ndjson', '{"id":1,"name":"\xff"}\n{"id":1,"name":"Fern"}', ['1: the line is not valid UTF-8', fern]],
  ['ndjson', '[]\nnull', [noPlant(1), noPlant(2)]],
  // JSON.parse makes 7 of the second one. Other notations of an integer are read as over HTTP.
  ['ndjson', '{"id":"1","name":"a"}\n{"id":7.00000000000000000001,"name":"a"}', [notAnId(1), notAnId(2)]],
  ['ndjson', '{"id":70e-1,"name":"a"}\n{"id":9223372036854775808,"name":"a"}', [{ id: 7n, name: 'a' }, notAnId(2)]],
  ['ndjson', `${'x'.repeat(MAX_LINE_BYTES + 1)}\n{"id":1,"name":"Fern"}`, [tooLong, fern], { size: 1e6 }],
  ['csv', '\xef\xbb\xbf"tag",name,id\r\nshade,Fern,1\r\n\r\n,Fern,1\n', [{ ...fern, tag: 'shade' }, fern]],
  ['csv', 'id,name,tag\n1,Fern,""\n1,"",\n1,,', [{ ...fern, tag: '' }, { id: 1n, name: '' }, '4: name is missing']],
  ['csv', 'id,name\n1\n1,Fern', ['2: Invalid Record Length: columns length is 2, got 1 on line 2', fern]],
  ['csv', 'id,name\n1.5,a\n9223372036854775808,a\n\xff,a\n1.0,Fern', [notAnId(2), notAnId(3), notAnId(4), fern]],
  ['csv', 'id,name,tag\n1,a,"\xff"\n1,Fern,', [expect.stringMatching(/^2: tag must be a string of well-formed/), fern]],
  ['csv', 'id,note,name,\n1,x,Fern,\n', [fern], { ignoreColumns: true }],
])('%s of %j', async (format, bytes, expected, options) => {
  expect(await read(format, bytes, options)).toEqual(expected);
});

test.each([
  ['a quote within quotes', '"a"b', /: Invalid Closing Quote: .* at line 4\b/],
  ['a quote that is not closed', '"a', /: Quote Not Closed: .* at line 5$/],
  ['a quote that is not closed for long', `"${'a\n'.repeat(MAX_LINE_BYTES / 2)}`, /: Max Record Size/],
  ['a quote within a text', `${'a'.repeat(1_000)}"b"`, /: Invalid Opening Quote: .* at line 4, value is "a{1,140}$/],
])('CSV ends at %s, and says after which line', async (_what, field, message) => {
  // The second plant has two lines.
  const csv = `id,name\n1,"a\nb"\n2,${field}\n3,c\n`;
  const expected = expect.stringMatching(new RegExp(`^the record after line 3${message.source}`));
  await expect(read('csv', csv, { size: 1e6 })).rejects.toMatchObject({ message: expected });
});

test.each([
  ['id;name\n1;a\n', 'expected a header row with the columns id, name and optionally tag'],
  ['id,name,id\n', 'expected a header row'],
  ['\xff\xfei\0d\0\n\0', 'the file is UTF-16: save it as UTF-8'],
  ['i\0d\0\n\0', 'the file is UTF-16'],
  ['id,note\u001b,name,\n', 'a plant does not have: note\\u001b, ""; remove or rename them, or pass --ignore-columns'],
])('CSV with the header of %j is refused', async (csv, message) => {
  await expect(read('csv', csv)).rejects.toThrow(message);
});
