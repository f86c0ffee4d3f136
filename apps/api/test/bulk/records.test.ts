import { INT64_MAX, INT64_MIN, isStorableText, type NewPlant, type Plant, textFields } from '@plant-store/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Format, formats } from '../../src/bulk/records/format.ts';
import type { Line } from '../../src/bulk/records/line.ts';
import { readCsv } from '../../src/bulk/records/read-csv.ts';
import { readNdjson } from '../../src/bulk/records/read-ndjson.ts';
import { writeRecords } from '../../src/bulk/records/write-records.ts';

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', '\ufeff', 'a') }),
  )
  .filter(isStorableText);
const plant = fc.record(
  {
    id: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
    ...(Object.fromEntries(textFields.map((field) => [field, text])) as Record<keyof Plant, typeof text>),
  },
  { requiredKeys: ['id', 'name'], noNullPrototype: true },
);

/** The bytes in pieces of so many, as they may come. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(format: Format, bytes: Buffer, { size = 64, maxBytes = 10_000, fromLine = 1 } = {}) {
  const lines: Line[] = [];
  const reader = format === 'csv' ? readCsv : readNdjson;
  for await (const line of reader(pieces(bytes, size), { maxBytes, fromLine })) lines.push(line);
  return lines;
}

async function write(format: Format, plants: readonly NewPlant[]): Promise<Buffer> {
  async function* all(): AsyncGenerator<NewPlant, void> {
    yield* plants;
  }
  const written: string[] = [];
  for await (const piece of writeRecords(all(), format)) written.push(piece);
  return Buffer.from(written.join(''));
}

describe.each(formats)('%s', (format) => {
  test('what was written is read back, in pieces of any size, and written again byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plant), fc.integer({ min: 1, max: 100 }), async (plants, size) => {
        const bytes = await write(format, plants);
        const came = (await read(format, bytes, { size })).map((line) => ('plant' in line ? line.plant : line));
        expect(came).toStrictEqual(plants.map((one) => ({ ...one })));
        expect(await write(format, came as NewPlant[])).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });
});

describe('CSV', () => {
  const lines = async (csv: string, options = {}) => read('csv', Buffer.from(csv, 'latin1'), options);
  const plantsOf = async (csv: string) =>
    (await lines(csv)).map((line) => ('plant' in line ? line.plant : line.reason));

  test('accepts columns in any order and ignores others, a byte order mark and blank lines', async () => {
    const csv = '\xef\xbb\xbfnote,tag,name,id\r\nx,shade,Fern,1\r\n\r\nx,,Moss,-2\n';
    expect(await plantsOf(csv)).toEqual([
      { id: 1n, name: 'Fern', tag: 'shade' },
      { id: -2n, name: 'Moss' },
    ]);
  });

  test('distinguishes an absent tag from an empty one by its quotes', async () => {
    expect(await plantsOf('id,name,tag\n1,a,\n2,a,""\n')).toEqual([
      { id: 1n, name: 'a' },
      { id: 2n, name: 'a', tag: '' },
    ]);
  });

  test.each([
    ['1', 'the line: 1 fields but 3 columns in the header row; quote fields that contain a comma'],
    ['1,a,b,c', 'the line: 4 fields but 3 columns in the header row; quote fields that contain a comma'],
    ['1.0,a,', expect.stringMatching(/^id: expected an integer/)],
    ['9223372036854775808,a,', expect.stringMatching(/^id: expected an integer/)],
    ['1,,', expect.stringMatching(/^name: expected a string/)],
    ['1,\xff,', 'the line is not valid UTF-8'],
  ])('rejects only %j', async (record, reason) => {
    expect(await plantsOf(`id,name,tag\n${record}\n2,b,\n`)).toEqual([reason, { id: 2n, name: 'b' }]);
  });

  test.each([
    ['"a"b', 'line 3: Invalid Closing Quote'],
    ['"a', 'Quote Not Closed'],
    ['a"b"', /^line 3: Invalid Opening Quote: quote the whole field and double the quotes inside$/],
    [`"${'a'.repeat(200)}`, 'line 3: longer than the 100 bytes'],
  ])('stops at unbalanced quotes: 2,%s', async (field, message) => {
    await expect(lines(`id,name\n1,a\n2,${field}\n3,c\n`, { maxBytes: 100 })).rejects.toThrow(message);
  });

  test.each(['', 'id\n1\n', 'name,tag\n', 'id,name,id\n'])(
    'requires a header row with id and name: %j',
    async (csv) => {
      await expect(lines(csv)).rejects.toThrow('expected a header row');
    },
  );
});

test.each([1, 2, 3, 64])('NDJSON may begin with a byte order mark, in pieces of %d', async (size) => {
  const [line] = await read('ndjson', Buffer.from('\ufeff{"id":1,"name":"\ufeff"}\n'), { size });
  expect(line).toMatchObject({ line: 1, plant: { id: 1n, name: '\ufeff' } });
});
